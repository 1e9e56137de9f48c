// Deletes the orders and batches of an account.
import type { Statements } from './database/database.ts'

export const deleteOrdersOf = async ({ run }: Statements, account: number): Promise<void> => {
  for (const sql of [
    'DELETE FROM calls WHERE order_number IN (SELECT number FROM orders WHERE account = $account)',
    'DELETE FROM orders WHERE account = $account',
    'DELETE FROM batch_cards WHERE batch IN (SELECT number FROM batches WHERE account = $account)',
    'DELETE FROM batch_rows WHERE batch IN (SELECT number FROM batches WHERE account = $account)',
    'DELETE FROM slot_leases WHERE batch IN (SELECT number FROM batches WHERE account = $account)',
    'DELETE FROM batch_workers WHERE batch IN (SELECT number FROM batches WHERE account = $account)',
    'DELETE FROM batches WHERE account = $account',
  ]) {
    await run(sql, { account })
  }
}
