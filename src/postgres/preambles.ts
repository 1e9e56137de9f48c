// The statements that a transaction starts with.

type Times = { readonly statementMs: number; readonly lockMs: number }

/** PgBouncer does not keep the settings of a session, so each transaction makes its own. */
export const createPreambles = ({ statementMs, lockMs }: Times) => {
  const settings = Object.entries({
    synchronous_commit: 'on',
    lock_timeout: lockMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    // To compile a statement takes longer than to run it.
    jit: 'off',
  })
  // Outside of BEGIN, PostgreSQL answers SET LOCAL with a warning.
  const calls = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`)
  const commands = settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`)
  return {
    begin: ['BEGIN ISOLATION LEVEL READ COMMITTED', ...commands],
    /** Precedes a statement that is a transaction of its own. */
    alone: [`SELECT ${calls.join(', ')}`],
  }
}
