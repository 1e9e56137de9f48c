#!/usr/bin/env node
// The executable: checks the Node version, switches on the compile cache, loads dist/.
// It must parse, and speak, on any Node that can load modules at all; and imports nothing, for that takes 8 ms.

// Not the shared temporary folder, which is Node's default: what lies there is run, and others could put it there.
// Made a folder at a time: both recursive mkdir and the cache itself can hang where a parent cannot be made.
const cacheFolder = () => {
  const { existsSync, mkdirSync } = process.getBuiltinModule('node:fs')
  const path = process.getBuiltinModule('node:path')
  try {
    // Without HOME, a user that the system does not know has no home folder: asking for it throws.
    const home = process.env.HOME || process.getBuiltinModule('node:os').homedir()
    const caches = process.env.XDG_CACHE_HOME || path.join(home, '.cache')
    const own = path.join(caches, 'orderctl')
    if (!path.isAbsolute(own)) return undefined
    if (existsSync(own)) return own
    if (!existsSync(caches)) mkdirSync(caches)
    mkdirSync(own, { mode: 0o700 })
    return own
  } catch {
    return undefined
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major >= 26 || (major === 24 && minor >= 15)) {
  const module = process.getBuiltinModule('node:module')
  const folder = cacheFolder()
  if (folder !== undefined) module.enableCompileCache(folder)
  const load = module.createRequire(import.meta.url)
  load('../dist/main.cjs')
} else {
  process.stderr.write(
    `orderctl needs Node 24.15 or a later 24, or 26 and up; this is ${process.versions.node}. In its repository, npx orderctl runs the right one.\n`,
  )
  process.exitCode = 2
}
