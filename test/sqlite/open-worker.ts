// A thread that opens each file at the same moment as a second one, and posts the errors.
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../src/sqlite/open.ts'

const { files, arrived } = workerData as { readonly files: readonly string[]; readonly arrived: Int32Array }
const schema = {
  name: 'test file',
  elsewhere: '',
  applicationId: 7,
  version: 1,
  createSql: () => 'CREATE TABLE one (a)',
}

const errors = files.flatMap((file, index) => {
  Atomics.add(arrived, index, 1)
  while (Atomics.load(arrived, index) < 2);
  try {
    openDatabase(file, schema).close()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
})
parentPort?.postMessage(errors)
