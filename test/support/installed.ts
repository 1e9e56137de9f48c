// Tells whether a program is on the PATH.
import { existsSync } from 'node:fs'
import path from 'node:path'

export const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((each) => existsSync(path.join(each, program)))
