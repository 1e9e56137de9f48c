// The completion scripts of the shells.
import { readPackageFile } from './package-file.ts'

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
  text: readPackageFile(`completions/${files[shell]}`),
})
