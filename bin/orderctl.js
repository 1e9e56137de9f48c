#!/usr/bin/env node
// The executable: checks the Node version, switches on the compile cache, loads dist/.
// It must parse and speak on any Node that can load modules at all.
import module from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major >= 26 || (major === 24 && minor >= 15)) {
  // Not the shared temporary folder, Node's default: what lies there is run, and others could put it there.
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
  if (path.isAbsolute(caches)) module.enableCompileCache?.(path.join(caches, 'orderctl'))
  await import('../dist/main.js')
} else {
  process.stderr.write(
    `orderctl needs Node 24.15 or later 24, or 26 and up; this is ${process.versions.node}. In its repository, npx orderctl uses the right one.\n`,
  )
  process.exitCode = 2
}
