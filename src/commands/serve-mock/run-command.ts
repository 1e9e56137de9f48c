// serve-mock --exec: runs a command against the service, and passes its exit code on.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { ServeMockOptions } from './spec.ts'

/** Returns the exit code of the command. */
export const runCommand = async (
  context: Context,
  { command, state, json }: ServeMockOptions,
  url: string,
  key: string,
): Promise<number> => {
  // A journal remembers the orders of each address, but a service in memory begins without orders. At the same port, the
  // journal would refuse the references of the last run.
  const needsFolder = !context.environment.ORDERCTL_STATE_DIR && state === ':memory:'
  await using folder = needsFolder ? await createStateFolder(context) : undefined
  const child = context.run(command, {
    ORDERCTL_BASE_URL: url,
    ORDERCTL_API_KEY: key,
    // There is no real money.
    ORDERCTL_ALLOW_AGENT: '1',
    ...(folder === undefined ? {} : { ORDERCTL_STATE_DIR: folder.path }),
    // These may be set for another account.
    ORDERCTL_PROFILE: undefined,
    ORDERCTL_AUTH: undefined,
    ORDERCTL_ACCOUNT: undefined,
  })
  const passSignal = (): void => {
    const name = context.interrupted.reason as NodeJS.Signals
    // On a terminal, Ctrl-C has reached the command already. A second signal would end it at once.
    if (name !== 'SIGINT' || !context.stderr.isTerminal) child.signal(name)
  }
  context.interrupted.addEventListener('abort', passSignal, { once: true })
  if (context.interrupted.aborted) passSignal()
  try {
    return await child.ended
  } catch (error) {
    const [code, why] = startFailures.get((error as NodeJS.ErrnoException).code ?? '') ?? [
      126,
      getErrorReason(error),
    ]
    const message = `cannot run ${sanitize(command[0] ?? '')}: ${why}`
    const failure = new Failure('usage', message, { field: '--exec', cause: error })
    context.stderr.write(renderFailure(failure, context, json))
    return code
  }
}

const createStateFolder = async ({ environment }: Context) => {
  const temporary = environment.TMPDIR || tmpdir()
  try {
    const folder = await mkdtemp(path.resolve(temporary, 'orderctl-exec-'))
    // The command has ended, so a folder that cannot be removed must not change the exit code.
    const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
    return { path: folder, [Symbol.asyncDispose]: remove }
  } catch (error) {
    throw new Failure('local-state', `cannot create a folder in ${temporary}: ${getErrorReason(error)}`, {
      field: 'ORDERCTL_STATE_DIR',
      advice: 'Set ORDERCTL_STATE_DIR to a folder for the journal of the command.',
      cause: error,
    })
  }
}

/** The exit codes that shells use for a command that cannot run. */
const startFailures = new Map<string, readonly [code: number, why: string]>([
  ['ENOENT', [127, 'command not found']],
  ['EACCES', [126, 'not executable']],
])
