// The two tiers of the tests. `npm test` runs what an ordinary change can break; `npm run test:all` (`--mode all`) runs
// everything.
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { assistants } from '../src/cli/variables.ts'
import { findMemoryFolder } from './support/memory-folder.ts'

/** Kills, faults of the network, random histories, browsers, guides, packages. */
const slow = ['test/{abuse,bench,crash,model,release}/**', '**/*.slow.{test.ts,session}']

/** A file of sessions becomes a test file. */
const sessions = {
  name: 'sessions',
  load: (id: string): string | undefined => {
    if (!id.endsWith('.session')) return undefined
    const define = path.resolve(import.meta.dirname, 'support/session/define.ts')
    return `import { defineSessions } from ${JSON.stringify(define)}\ndefineSessions(${JSON.stringify(id)})`
  },
}

// Databases of tests that write each commit to a disk take most of the time there.
process.env.ORDERCTL_TEST_CACHE ??= tmpdir()
// Times that are typed are read in the time zone of the process.
process.env.TZ = 'UTC'
// An assistant may run the tests.
for (const name of Object.keys(assistants)) delete process.env[name]
process.env.TMPDIR = findMemoryFolder() ?? tmpdir()
// orderctl refuses folders that a group can write, and tests create some with the umask.
process.umask(0o022)

// biome-ignore lint/style/noDefaultExport: vitest reads the default export.
export default defineConfig(({ mode }) => ({
  root: path.resolve(import.meta.dirname, '..'),
  plugins: [sessions],
  test: {
    include: ['test/**/*.{test.ts,session}'],
    exclude: mode === 'all' ? [] : slow,
    env: { TEST_TIER: mode },
    globalSetup: 'test/support/require-build.ts',
    setupFiles: 'test/support/fixed-seeds.ts',
    isolate: false,
    // Limits on hanging, not on speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // One more than the cores of a small machine, because tests also wait for sockets and processes.
    maxWorkers: 3,
    reporters: process.stdout.isTTY ? ['default'] : ['minimal'],
  },
}))
