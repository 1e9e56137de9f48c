// Loaded before the executable: writes its peak memory in KiB when it ends.
import { writeFileSync } from 'node:fs'
import process from 'node:process'

const file = process.env.PEAK_FILE
if (file !== undefined) process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)))
