// all-texts.ts finds each kind of text.
import { expect, test } from 'vitest'
import { findTexts, renderAllTexts } from './all-texts.ts'

test.each([
  [
    `throw new Failure('usage', \`no order \${id}\`, { fix: isNew ? 'Run create.' : suggest\`list \${flags}\` })`,
    ['no order <id>', 'Run create.', 'try: orderctl list <flags>'],
  ],
  [
    'new Failure(kind, text, { fix: (suggest) => `Show it: ${suggest`get ${id} --explain`}` })',
    ['Show it: orderctl get <id> --explain'],
  ],
  [`stderr.write('Nothing was ' + \`sent to \${host}\\n\`)`, ['Nothing was sent to <host>\n']],
  ["addProblem(isJson ? '--card needs --copy' : 'is not a file')", ['--card needs --copy', 'is not a file']],
])('the texts of %s', (source, texts) => {
  expect(findTexts('example.ts', source)).toEqual(texts)
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
    '- Your reference',
    '- Quantity (1 to <max>, or more as a batch)',
    '- the outcome of confirming the order',
    '- serve-mock refused the token of this URL.',
    '- Webhook deliveries',
  ])
    expect(texts).toContain(text)
})
