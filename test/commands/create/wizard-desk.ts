// A person at create's questions, and what was sent in the end.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Situation } from '../../support/in-process.ts'
import { openerFor, type Way, type World } from '../../support/world.ts'

/** What was sent, as the journal has it: the requests whole, but for a webhook, and the calls that spend. */
const sentBy = ({ home }: World): { readonly sent: unknown[]; readonly calls: string } => {
  const file = path.join(home, 'state', 'journal.db')
  if (!existsSync(file)) return { sent: [], calls: '' }
  const journal = new DatabaseSync(file, { readOnly: true })
  const requests = journal.prepare('SELECT request FROM orders ORDER BY number').all()
  const calls = journal.prepare('SELECT operation FROM calls ORDER BY number').all()
  journal.close()
  return {
    sent: requests.map(({ request }) => JSON.parse(String(request))),
    calls: calls.map(({ operation }) => operation).join(' '),
  }
}

/** As a shell takes it apart. */
export const wordsOf = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

export const wizardDesk = (way: Way = {}) => {
  const open = openerFor(way)
  const creating = async (
    words: readonly string[],
    answers: NonNullable<Situation['answers']>,
    situation: Situation = {},
    shop?: World,
  ) => {
    const one = shop ?? (await open())
    const { exit, stdout, stderr, questions } = await one.atTerminal(['create', ...words], {
      answers,
      ...situation,
    })
    const command = /^ {2}orderctl (create .*)$/m.exec(stderr)?.[1] ?? ''
    return { exit, stdout, stderr, questions, command, ...sentBy(one) }
  }

  /** What flags have sent. */
  const byFlags = async (words: readonly string[]): Promise<unknown[]> => {
    const shop = await open()
    await shop.must(...words)
    return sentBy(shop).sent
  }

  return { open, creating, byFlags }
}
