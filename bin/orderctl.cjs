#!/usr/bin/env node
// The executable of the package: checks the Node version, enables the compile cache, loads dist/.
// It must parse on every Node that is still in use. As an ES module it would take 2 ms more, with an import 8 more.

// Not the default folder, which is shared and temporary: Node runs what it finds in the cache.
// Created one folder at a time: a recursive mkdir and the cache itself can hang if a parent cannot be created.
const ensureCacheFolder = () => {
  const { existsSync, mkdirSync } = require('node:fs')
  const path = require('node:path')
  try {
    // os.homedir() throws if HOME is not set and the system does not know the user.
    const home = process.env.HOME || require('node:os').homedir()
    const caches = process.env.XDG_CACHE_HOME || path.join(home, '.cache')
    const folder = path.join(caches, 'orderctl')
    if (!path.isAbsolute(folder)) return undefined
    if (existsSync(folder)) return folder
    if (!existsSync(caches)) mkdirSync(caches)
    mkdirSync(folder, { mode: 0o700 })
    return folder
  } catch {
    return undefined
  }
}

const wantsJson = () => {
  const end = process.argv.indexOf('--')
  const words = end === -1 ? process.argv : process.argv.slice(0, end)
  return words.includes('--json') || !['', '0', 'false'].includes(process.env.ORDERCTL_JSON || '')
}

const refuse = () => {
  const message = 'orderctl is not completely installed: a file of dist/ is missing or incomplete'
  const fix = 'Install it again: npm install --global orderctl. In its repository: npm run build'
  process.stderr.write(
    wantsJson()
      ? `${JSON.stringify({ error: { code: 'installation', message, fix, retryable: false } })}\n`
      : `error: ${message}\ntry: ${fix}\n`,
  )
  process.exitCode = 72
}

const start = () => {
  try {
    // An empty file would do nothing and succeed.
    if (require('../dist/main.cjs').isStarted !== true) refuse()
  } catch (error) {
    // dist/ has no other dependencies. The stack of a file that cannot be parsed begins with its name.
    const isBroken =
      error.code === 'MODULE_NOT_FOUND' || (error instanceof SyntaxError && !/^SyntaxError/.test(error.stack))
    if (!isBroken) throw error
    refuse()
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major >= 26 || (major === 24 && minor >= 15)) {
  // doctor must create nothing.
  const folder = process.argv.includes('doctor') ? undefined : ensureCacheFolder()
  if (folder !== undefined) require('node:module').enableCompileCache(folder)
  start()
} else {
  process.stderr.write(
    `error: orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node ${process.versions.node}.\ntry: npx orderctl, if you are in its repository\n`,
  )
  process.exitCode = 2
}
