// What a command is given: everything that it touches outside itself. Types only.
import type { Clock } from './contract/clock.ts'

/** One of the two output streams. */
export type Output = {
  write(text: string): void
  /** Resolves once all that was written has left; rejects where it could not. */
  flushed(): Promise<void>
  /** Whether a person may be reading along. */
  readonly isTerminal: boolean
  readonly colour: boolean
}

export type ChildProcess = {
  /** Exit code, as a shell would see it. */
  readonly ended: Promise<number>
  signal(name: NodeJS.Signals): void
}

export type Context = {
  readonly stdout: Output
  readonly stderr: Output
  readonly clock: Clock
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborts with the first SIGINT or SIGTERM, its name the reason; a second one ends the process at once. */
  readonly interrupted: AbortSignal
  /** Throws Node's own error where it cannot be read. */
  readFile(path: string): Promise<Uint8Array>
  /** Runs a program on this terminal, with these variables beside its own. */
  spawn(command: readonly string[], variables: Readonly<Record<string, string>>): ChildProcess
}
