// Builds dist/ after npm ci. It must parse on every Node that is still in use.
// npx installs a clone into its cache and runs this. If this fails, npx keeps a copy without the executable.
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

const isOldNode = major < 24 || major === 25 || (major === 24 && minor < 15)

if (isOldNode || !existsSync('node_modules/rolldown')) {
  const reason = isOldNode
    ? `Node ${process.versions.node} cannot build orderctl`
    : 'the development dependencies are not installed'
  const fix = `npm ci --ignore-scripts=false${isOldNode ? '' : ' --include=dev'}`
  process.stderr.write(`warning: not built, because ${reason}\ntry: ${fix}\n`)
} else {
  process.exitCode =
    spawnSync(process.execPath, ['build/bundle.ts'], { stdio: 'inherit' }).status === 0 ? 0 : 1
}
