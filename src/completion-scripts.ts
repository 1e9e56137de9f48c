// The scripts of the shells: completions/ lies beside src/ and dist/ alike, and inside the standalone executable.
import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

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
  text: isSea()
    ? getAsset(files[shell], 'utf8')
    : readFileSync(new URL(`../completions/${files[shell]}`, import.meta.url), 'utf8'),
})
