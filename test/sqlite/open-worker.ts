// A worker thread. Two of them open each file at the same moment, and post their errors.
import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../src/sqlite/open.ts'

const { files, readyCounts } = workerData as {
  readonly files: readonly string[]
  readonly readyCounts: Int32Array
}
const schema = {
  name: 'test file',
  elsewhere: '',
  applicationId: 7,
  version: 1,
  createSql: () => 'CREATE TABLE one (a)',
}

const errors = files.flatMap((file, index) => {
  Atomics.add(readyCounts, index, 1)
  while (Atomics.load(readyCounts, index) < 2);
  try {
    openDatabase(file, schema).close()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
})
parentPort?.postMessage(errors)
