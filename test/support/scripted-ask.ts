// Prompts with scripted responses. The problem of a rejected response is added to the questions, then the next response is used.
import { type Ask, type Choice, findMatches, formatKeys } from '../../src/ui/prompts/asking.ts'

type Response = boolean | string | undefined

export const createScriptedAsk = (
  say: (question: string) => Promise<Response>,
  questions: string[],
  onChoices: (names: readonly string[]) => void = () => {},
  backKeys: Ask['backKeys'] = 'Esc or <',
): Ask => {
  const fitting = async (
    question: string,
    initial: string | undefined,
    problem: (text: string) => string | undefined,
  ): Promise<string | undefined> => {
    for (;;) {
      const said = await say(question)
      // Yes or no, where one may also go back.
      const response = typeof said === 'boolean' ? (said ? 'yes' : 'no') : said
      const text = response === '' ? initial : response
      const wrong = text === undefined ? undefined : problem(text)
      if (wrong === undefined) return text
      questions.push(wrong)
    }
  }
  return {
    backKeys,
    line: ({ message, initial, check }) =>
      fitting(initial === undefined ? message : `${message} (${initial})`, initial, check),
    search: async (search) => {
      onChoices(search.choices.map(({ name }) => name))
      const first = search.initial ?? search.choices.find(({ disabled }) => disabled === undefined)?.value
      const found = (text: string) => findMatches(search, text)[0]
      const text = await fitting(search.message, first, (typed) => found(typed)?.disabled)
      return text === undefined ? undefined : found(text)?.value
    },
    choose: async <Value>(message: string, choices: readonly Choice<Value>[]) => {
      const name = await say(`${message} ${choices.map((each) => each.name).join(' / ')}`)
      if (name === undefined) return undefined
      const chosen = choices.find((each) => each.name.startsWith(String(name)))
      if (chosen === undefined) throw new Error(`${message}: there is no ${name}`)
      return chosen.value
    },
    key: async (choices) => {
      const pressed = await say(formatKeys(choices))
      if (pressed === undefined) return undefined
      const chosen = choices.find(({ key, alias }) => pressed === key || pressed === alias)
      if (chosen === undefined) throw new Error(`${formatKeys(choices)}: there is no ${pressed}`)
      return chosen.value
    },
    yesOrNo: async (message) => (await say(message)) as boolean | undefined,
    secret: async (message) => (await say(`${message} *`)) as string | undefined,
  }
}
