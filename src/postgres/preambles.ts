// The statements that a transaction starts with.

type Times = {
  readonly statementMs: number
  readonly lockMs: number
  /** How long a transaction may pause between two statements, for example because the process is stopped. */
  readonly idleMs: number
}

/** PgBouncer does not keep the settings of a session, so each transaction makes its own. */
export const createPreambles = ({ statementMs, lockMs, idleMs }: Times) => {
  const settings = Object.entries({
    synchronous_commit: 'on',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: idleMs,
  })
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`)
  /** Precedes a statement that is a transaction of its own. */
  const alone = [`SELECT ${calls.join(', ')}`]
  return { begin: ['BEGIN ISOLATION LEVEL READ COMMITTED', ...alone], alone }
}
