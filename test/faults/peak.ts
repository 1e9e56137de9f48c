// Loaded before the executable: writes how much memory it held at most, in KiB, as it ends.
import { writeFileSync } from 'node:fs'
import process from 'node:process'

const file = process.env.PEAK_FILE
if (file !== undefined) process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)))
