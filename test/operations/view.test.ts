// What orderctl says about an order: every combination of what the journal knows and what the service shows. Read the table
// row by row after a change.
import { expect, test } from 'vitest'
import { writeViewTable } from './view-table.ts'

const head = `# What viewOrder says, by what the journal has of the order (a section) and the response (the end of a row).
# MONEY, PROGRESS, READING, WAIT, EXIT CODES (for a command that shows the order, needs it confirmed, needs it final), NEXT STEP

`

test('each combination has its row', async () => {
  await expect(`${head}${writeViewTable()}`).toMatchFileSnapshot('view-table.txt')
})
