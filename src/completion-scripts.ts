// The scripts of the shells, as the package has them: completions/ lies beside src/ and dist/ alike.
import { readFileSync } from 'node:fs'

const files = {
  bash: 'orderctl.bash',
  zsh: '_orderctl',
  fish: 'orderctl.fish',
  powershell: 'orderctl.ps1',
} as const

export type Shell = keyof typeof files

export const shells = Object.keys(files) as Shell[]

export const scriptOf = (shell: Shell): { readonly file: string; readonly text: string } => ({
  file: files[shell],
  text: readFileSync(new URL(`../completions/${files[shell]}`, import.meta.url), 'utf8'),
})
