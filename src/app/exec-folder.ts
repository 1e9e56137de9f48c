// The temporary state folder for the command of `serve-mock --exec`. Its name has the process id of serve-mock.
import { tmpdir } from 'node:os'
import type { Context } from '../context.ts'

export const findTemporaryFolder = ({ environment }: Pick<Context, 'environment'>): string =>
  environment.TMPDIR || tmpdir()

/** For mkdtemp, which adds six characters. */
export const createExecPrefix = (processId: number): string => `orderctl-exec-${processId}-`

/** Undefined if the name is not that of such a folder. */
export const readProcessId = (name: string): number | undefined => {
  const digits = /^orderctl-exec-(\d+)-\w{6}$/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
