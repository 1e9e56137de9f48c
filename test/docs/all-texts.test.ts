// all-texts.ts finds each kind of text.
import { expect, test } from 'vitest'
import { findTexts, renderAllTexts } from './all-texts.ts'

test.each([
  [
    `throw new Failure('usage', \`no order \${id}\`, { fix: isNew ? 'Run create.' : 'orderctl list' })`,
    { kind: 'failure', text: 'no order <id>', fix: '{Run create.|orderctl list}' },
  ],
  [
    'new Failure(kind, text, { fix: (suggest) => `Show it: ${suggest`get ${id} --explain`}` })',
    { kind: 'failure', text: '<text>', fix: 'Show it: orderctl get <id> --explain' },
  ],
  [
    `stderr.write('Nothing was ' + \`sent to \${host}\\n\`)`,
    { kind: 'notice', text: 'Nothing was sent to <host>\n' },
  ],
  ["addProblem('--card needs --copy')", { kind: 'problem', text: '--card needs --copy' }],
  ["read('--port', port, parse, 'a number')", { kind: 'problem', text: '--port is …; allowed: a number' }],
  ["await context.askYesNo('Order again?')", { kind: 'prompt', text: 'Order again?' }],
  ["const question = { message: 'Quantity', check }", { kind: 'prompt', text: 'Quantity' }],
  ["const reason = { why: 'is not a file' }", { kind: 'text', text: 'is not a file' }],
])('the text of %s', (source, text) => {
  expect(findTexts('example.ts', source)).toEqual([text])
})

test('code, SQL and imports are not texts', () => {
  const source = "import a from 'some words'\nconst b = 'word'\nconst c = 'SELECT number FROM orders'"
  expect(findTexts('example.ts', source)).toEqual([])
})

test('the file has the help of every command, every topic and the texts of every source file', async () => {
  const texts = await renderAllTexts()
  for (const text of [
    'Usage: orderctl COMMAND [flags]',
    '$ orderctl profile add --help',
    '$ orderctl help safety',
    'no second purchase  create and confirm are sent once',
    '== src/commands/create/wizard/questions.ts',
    'prompt   Your reference',
    'text     Quantity (1 to <max>, or more as a batch)',
    'failure  the outcome of confirming the order',
    'text     serve-mock refused the token of this URL.',
    'text     Webhook deliveries',
  ])
    expect(texts).toContain(text)
})
