// Stops the run with one sentence if the built executable is missing or older than the source.
import { globSync, statSync } from 'node:fs'

const built = 'dist/main.cjs'

export const setup = (): void => {
  if (process.env.ORDERCTL_EXECUTABLE !== undefined) return
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs
  const isStale =
    builtAt !== undefined && globSync('{src,build}/**/*.*').some((file) => statSync(file).mtimeMs > builtAt)
  if (builtAt !== undefined && !isStale) return
  console.error(`dist/ ${isStale ? 'is older than the source' : 'is missing'}. Run: npm run build`)
  process.exit(1)
}
