// Loaded into a measured Node process: writes what the process used to a file when it ends.
const { writeFileSync } = require('node:fs')

process.on('exit', () => writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())))
