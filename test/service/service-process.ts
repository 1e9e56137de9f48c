// Real processes with the service in them, as the worker beside this file plays them.
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Task } from './service-worker.ts'

const pathTo = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

const worker = pathTo('service-worker.ts')
// Halves what each of them costs to start.
const env = { NODE_COMPILE_CACHE: pathTo('../../node_modules/.cache/compile') }

/** Ready to begin, so that several can begin at once. */
export const startProcess = async () => {
  const child = execa(process.execPath, [worker], { env, ipc: true, reject: false, stderr: 'inherit' })
  await child.getOneMessage()
  return {
    /** What it says to its task, to the end. */
    perform: async (task: Task): Promise<unknown> => {
      const answer = child.getOneMessage()
      await child.sendMessage(task)
      const said = await answer
      await child.sendMessage('leave')
      await child
      return said
    },

    /** Killed once it has said so much; all that it said. */
    performUntil: async (task: Task, messages: number): Promise<unknown[]> => {
      const said: unknown[] = []
      await child.sendMessage(task)
      for await (const message of child.getEachMessage()) {
        said.push(message)
        if (said.length === messages) child.kill('SIGKILL')
      }
      await child
      return said
    },
  }
}

/** That many of them, all ready. */
export const startProcesses = (count: number) => Promise.all(Array.from({ length: count }, startProcess))
