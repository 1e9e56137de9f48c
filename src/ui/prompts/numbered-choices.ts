// Choices with numbers, for screen readers. 0 and < mean back.
import { back, type Choice } from './asking.ts'

/** A longer list shows its first choices. Typing finds the others. */
const maxListed = 20

export const isBack = ({ value }: Choice<unknown>): boolean => value === back

export const renderChoices = (choices: readonly Choice<unknown>[]): string => {
  const others = choices.filter((each) => !isBack(each))
  const lines = others.slice(0, maxListed).map(({ name, disabled }, index) => {
    return `${index + 1}. ${name}${disabled === undefined ? '' : ` (${disabled})`}\n`
  })
  const more = others.length - maxListed
  const last = others.length < choices.length ? '0. back\n' : ''
  return `${lines.join('')}${more > 0 ? `and ${more} more\n` : ''}${last}`
}

export const findNumbered = <Value>(
  choices: readonly Choice<Value>[],
  text: string,
): Choice<Value> | undefined => {
  if (text === '0' || text === back) return choices.find(isBack)
  return /^\d+$/.test(text) ? choices.filter((each) => !isBack(each))[Number(text) - 1] : undefined
}
