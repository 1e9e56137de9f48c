// Prompts with scripted responses. The problem of a rejected response is added to the questions, then the next response is used.
import { type Ask, type Choice, findMatches } from '../../src/ui/prompts/ask.ts'

type Response = boolean | string | undefined

export const createScriptedAsk = (
  say: (question: string) => Promise<Response>,
  questions: string[],
  onChoices: (names: readonly string[]) => void = () => {},
): Ask => {
  const fitting = async (
    question: string,
    initial: string | undefined,
    problem: (text: string) => string | undefined,
  ): Promise<string | undefined> => {
    for (;;) {
      const response = (await say(question)) as string | undefined
      const text = response === '' ? initial : response
      const wrong = text === undefined ? undefined : problem(text)
      if (wrong === undefined) return text
      questions.push(wrong)
    }
  }
  return {
    text: async (question) => {
      const { message, initial, choices = [], check } = question
      if (choices.length === 0)
        return fitting(initial === undefined ? message : `${message} (${initial})`, initial, check)
      onChoices(choices.map(({ name }) => name))
      const find = (text: string) => findMatches(question, text)[0]
      const text = await fitting(message, initial ?? choices[0]?.value, (typed) => find(typed)?.problem)
      return text === undefined ? undefined : find(text)?.value
    },
    choose: async <Value>(message: string, choices: readonly Choice<Value>[]) => {
      const name = await say(`${message} ${choices.map((each) => each.name).join(' / ')}`)
      if (name === undefined) return undefined
      const chosen = choices.find((each) => each.name.startsWith(String(name)))
      if (chosen === undefined) throw new Error(`${message}: there is no ${name}`)
      return chosen.value
    },
    yesOrNo: async (message) => (await say(message)) as boolean | undefined,
    secret: async (message) => (await say(`${message} *`)) as string | undefined,
  }
}
