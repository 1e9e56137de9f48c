// Random histories from a seed: a recipe or random steps, with more commands in between.
import { type Choices, createChoices } from './choices.ts'
import { commandOf, runOf } from './commands.ts'
import { oddRecipes } from './odd-recipes.ts'
import { lateRecipes, recipes } from './recipes.ts'
import { eventOf, habitsOf } from './services.ts'
import type { History, Step } from './steps.ts'
import { themes } from './themes.ts'

const timeOf = ({ happens, pick, theme }: Choices): Step => {
  if (happens(theme.clocks)) {
    // While a process waits, or between two of them.
    const besideMs = happens(0.5) ? pick([15, 35, 3_000]) : undefined
    if (happens(0.25)) return { do: 'suspend', ms: pick([30_000, 610_000, 3_600_000]), besideMs }
    const ms = pick([-86_400_000, -3_600_000, -540_000, -65_000, 65_000, 540_000, 3_600_000, 86_400_000])
    return { do: 'wall', ms, besideMs }
  }
  if (!happens(theme.expiry))
    return { do: 'pass', ms: pick([1_000, 17_000, 61_000, 61_000, 125_000, 661_000, 900_000]) }
  const before = [-50_000, -5_000, -1_000, -100]
  return { do: 'expire', offsetMs: pick([...before, 500, 3_000, 17_000, 59_000, 61_000, 63_000, 125_000]) }
}

const randomSteps = (choices: Choices, length: number): Step[] => {
  const { happens, pick, theme } = choices
  const steps: Step[] = []
  while (steps.length < length) {
    const before = steps.filter((step) => step.do === 'run').map(({ command }) => command)
    if (before.length > 0 && happens(theme.time)) steps.push(timeOf(choices))
    if (happens(theme.event)) steps.push(eventOf(choices))
    const isAgain = before.length > 0 && happens(theme.again)
    steps.push(runOf(choices, isAgain ? pick(before) : commandOf(choices)))
  }
  return steps
}

/** Sometimes leaves out a step or inserts one. */
const varied = (choices: Choices, recipe: readonly Step[]): Step[] =>
  recipe.flatMap((step) => [
    ...(choices.happens(0.1) ? randomSteps(choices, 1) : []),
    ...(choices.happens(0.05) ? [] : [step]),
  ])

/** Half of the recipes need a service with undocumented behaviour. */
const allRecipes = [recipes, recipes, lateRecipes, oddRecipes].flatMap((each) => Object.entries(each))

export const historyFrom = (seed: number): History => {
  const draw = createChoices(`history ${seed}`)
  const recipe = draw.happens(0.6) ? draw.pick(allRecipes) : undefined
  const theme = draw.happens(0.3) ? 'anything' : draw.pick(Object.keys(themes) as (keyof typeof themes)[])
  const [name, write] = recipe ?? [theme, undefined]
  const choices: Choices = {
    ...draw,
    theme: write === undefined ? themes[theme] : (write.theme ?? themes.obedient),
  }
  const steps =
    write === undefined ? randomSteps(choices, 3 + draw.below(7)) : varied(choices, write.steps(choices))
  const habits = write === undefined ? habitsOf(choices) : (write.habits?.(choices) ?? {})
  return { seed, theme: name, habits, isDated: !draw.happens(choices.theme.dateless), steps }
}
