// Starts processes that run service-worker.ts.
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import type { Task } from './service-worker.ts'

const resolvePath = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

const worker = resolvePath('service-worker.ts')
// The compile cache halves the start-up time of each process.
const env = { NODE_COMPILE_CACHE: resolvePath('../../node_modules/.cache/compile') }

/** Resolves when the process is ready, so that several can start their tasks at the same time. */
export const startProcess = async () => {
  const child = execa(process.execPath, [worker], { env, ipc: true, reject: false, stderr: 'inherit' })
  await child.getOneMessage()
  return {
    /** Returns the result of the task. */
    perform: async (task: Task): Promise<unknown> => {
      const response = child.getOneMessage()
      await child.sendMessage(task)
      const result = await response
      await child.sendMessage('leave')
      await child
      return result
    },

    /** Kills the process after `count` messages, and returns all its messages. */
    performUntil: async (task: Task, count: number): Promise<unknown[]> => {
      const messages: unknown[] = []
      await child.sendMessage(task)
      for await (const message of child.getEachMessage()) {
        messages.push(message)
        if (messages.length === count) child.kill('SIGKILL')
      }
      await child
      return messages
    },
  }
}

export const startProcesses = (count: number) => Promise.all(Array.from({ length: count }, startProcess))
