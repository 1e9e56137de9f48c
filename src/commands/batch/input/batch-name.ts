// Finds the name of a batch. The references of its orders begin with the name.
import path from 'node:path'
import { Failure } from '../../../errors.ts'
import { batchNameForm, isBatchName, normalizeBatchName } from '../../shared/batch-name-rule.ts'

/** Undefined if the rows come from flags only, so that the caller generates a name. */
export const readBatchName = (name: string | undefined, file: string | undefined): string | undefined => {
  if (name !== undefined) {
    if (isBatchName(name)) return normalizeBatchName(name)
    throw new Failure('usage', `--name is ${JSON.stringify(name)}; allowed: ${batchNameForm}`, {
      field: '--name',
      fix: 'Choose another name, such as --name march-rewards.',
    })
  }
  if (file === undefined) return undefined
  const fix =
    'Name the batch, such as --name march-rewards. The references of its orders begin with the name.'
  if (file === '-' || isPipe(file)) {
    throw new Failure('usage', 'a batch from standard input or a pipe needs --name', { field: '--name', fix })
  }
  const fromFile = path.parse(file).name
  if (isBatchName(fromFile)) return normalizeBatchName(fromFile)
  throw new Failure(
    'usage',
    `the file name ${JSON.stringify(fromFile)} is not a valid name for a batch; allowed: ${batchNameForm}`,
    {
      field: '--name',
      fix,
    },
  )
}

/** For `<(…)`, the shell makes a file with another name each time. */
const isPipe = (file: string): boolean => /^\/(dev|proc\/[^/]+)\/(fd\/|stdin$)/.test(file)
