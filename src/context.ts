// What a command is given: everything that it touches outside itself. Types only.
import type { Clock } from './contract/clock.ts'

/** One of the two output streams. */
type Output = {
  write(text: string): void
  /** Resolves once all that was written has left; rejects where it could not. */
  flushed(): Promise<void>
  /** Aborts when nobody can read any more. */
  readonly broken: AbortSignal
  readonly isTerminal: boolean
  readonly colour: boolean
}

export type ChildProcess = {
  /** The exit code as a shell would see it; rejects where the program could not be started. */
  readonly ended: Promise<number>
  signal(name: NodeJS.Signals): void
}

export type Context = {
  readonly version: string
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  /** Aborts with the first SIGINT or SIGTERM, its name the reason; a second one ends the process at once. */
  readonly interrupted: AbortSignal
  /** Rejects with Node's own error where the file cannot be read. */
  readFile(path: string): Promise<Uint8Array>
  /** Runs a program on this terminal, with these variables beside its own. */
  spawn(command: readonly string[], variables: Readonly<Record<string, string>>): ChildProcess
}
