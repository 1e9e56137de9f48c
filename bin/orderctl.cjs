#!/usr/bin/env node
// The executable of the package: checks the Node version, enables the compile cache, loads dist/.
// It must parse on every Node that is still in use. As an ES module it would take 2 ms more, with an import 8 more.

// What another user can put into the cache would run with the rights of this one.
const isOwn = (folder) => {
  const { uid, mode } = require('node:fs').statSync(folder)
  return uid === process.geteuid() && (mode & 0o022) === 0
}

// As src/exposure.ts judges the folders above, and the links on the way: whoever can replace one replaces the cache.
const isSafe = (place) => {
  const { lstatSync, readlinkSync, realpathSync } = require('node:fs')
  const { dirname, resolve } = require('node:path')
  const parent = dirname(place)
  const stats = lstatSync(place)
  if (stats.uid !== process.geteuid() && stats.uid !== 0) return false
  if (stats.isSymbolicLink())
    return isSafe(parent) && isSafe(resolve(realpathSync.native(parent), readlinkSync(place)))
  return !isShared(stats) && (parent === place || isSafe(parent))
}

// With the sticky bit, as /tmp has, only its owner can replace a folder.
const isShared = ({ mode, gid }) => {
  if ((mode & 0o1000) !== 0 || (mode & 0o022) === 0) return false
  return (mode & 0o002) !== 0 || !isPrivateGroup(gid)
}

// As src/exposure.ts, which the bundle has in a chunk that --version does not load.
const isPrivateGroup = (gid) => {
  if (gid === 0) return true
  const readAccounts = (file) =>
    require('node:fs')
      .readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
  const [user, group] = [String(process.geteuid()), String(gid)]
  const people = readAccounts('/etc/passwd')
  const names = readAccounts('/etc/group').filter(([, , id]) => id === group)
  const isTrusted = (id) => id === user || id === '0'
  const isOwn = people.some(([, , id, primary]) => id === user && primary === group)
  return (
    (isOwn || (user === group && names.length === 0)) &&
    people.every(([, , id, primary]) => primary !== group || isTrusted(id)) &&
    names
      .flatMap(([, , , members = '']) => members.split(',').filter(Boolean))
      .every((member) => people.some(([name, , id]) => name === member && isTrusted(id)))
  )
}

// Not the default folder, which is shared and temporary: Node runs what it finds in the cache.
// Created one folder at a time: a recursive mkdir and the cache itself can hang if a parent cannot be created.
const ensureCacheFolder = () => {
  const { existsSync, mkdirSync } = require('node:fs')
  const path = require('node:path')
  try {
    // os.homedir() throws if HOME is not set and the system does not know the user.
    const home = process.env.HOME || require('node:os').homedir()
    const folder = path.join(process.env.XDG_CACHE_HOME || path.join(home, '.cache'), 'orderctl')
    const caches = path.dirname(folder)
    if (!path.isAbsolute(folder)) return undefined
    // Windows has no owners and modes.
    const hasOwners = process.geteuid !== undefined
    for (const missing of [caches, folder].filter((each) => !existsSync(each))) {
      // Root would create it in the home of another user.
      if (hasOwners && !isSafe(path.dirname(missing))) return undefined
      mkdirSync(missing, { mode: 0o700 })
    }
    const isUsed = !hasOwners || (isOwn(caches) && isOwn(folder) && isSafe(folder))
    return isUsed ? folder : undefined
  } catch {
    return undefined
  }
}

const wantsJson = () => {
  const end = process.argv.indexOf('--')
  const words = end === -1 ? process.argv : process.argv.slice(0, end)
  return words.includes('--json') || !['', '0', 'false'].includes(process.env.ORDERCTL_JSON || '')
}

const refuse = (exit, code, message, { fix, advice }) => {
  const lines = [`error: ${message}`, fix && `try: ${fix}`, advice].filter(Boolean)
  process.stderr.write(
    wantsJson()
      ? `${JSON.stringify({ error: { code, reason: code, message, fix, advice, retryable: false } })}\n`
      : lines.map((line) => `${line}\n`).join(''),
  )
  process.exitCode = exit
}

const has = (file) => require('node:fs').existsSync(require('node:path').join(__dirname, '..', file))

// Only a clone of the repository has this file.
const isClone = () => has('build/bundle.ts')

const refuseBuild = () => {
  const message = 'this clone of the repository is not built'
  const remedy = { fix: 'npm ci --ignore-scripts=false', advice: 'Run it in the clone.' }
  refuse(72, 'installation', message, remedy)
}

const refuseFiles = () => {
  if (isClone() && !has('dist')) return refuseBuild()
  const message = 'orderctl is not completely installed: a file of dist/ is missing or incomplete'
  const remedy = isClone()
    ? { fix: 'npm run build', advice: 'Run it in the clone.' }
    : { advice: 'Install orderctl again as you installed it.' }
  refuse(72, 'installation', message, remedy)
}

const refuseNode = () => {
  if (isClone() && !has('dist')) return refuseBuild()
  const { node } = process.versions
  const message = `orderctl needs Node 24.15 or a later 24, or Node 26 or later. This is Node ${node}`
  const advice = isClone()
    ? 'Install Node 26, or type npx orderctl in the clone, or build the file that needs no Node: npm run build:standalone'
    : 'Install Node 26 from https://nodejs.org, or use the standalone file of orderctl, which needs no Node'
  refuse(2, 'usage', message, { advice })
}

const start = () => {
  try {
    // An empty file would do nothing and succeed.
    if (require('../dist/main.cjs').isStarted !== true) refuseFiles()
  } catch (error) {
    // dist/ has no other dependencies. The stack of a file that cannot be parsed begins with its name.
    const isBroken =
      error.code === 'MODULE_NOT_FOUND' || (error instanceof SyntaxError && !/^SyntaxError/.test(error.stack))
    if (!isBroken) throw error
    refuseFiles()
  }
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major >= 26 || (major === 24 && minor >= 15)) {
  // doctor must create nothing, and neither must the process that it starts to test file locks.
  const isCached = !process.argv.some((word) => word === 'doctor' || word === '__probe-lock')
  const folder = isCached ? ensureCacheFolder() : undefined
  if (folder !== undefined) require('node:module').enableCompileCache?.(folder)
  start()
} else {
  refuseNode()
}
