// The path of a program that Windows includes. By its name alone, Windows would run a file in the working directory.

/** `name` is a path in the folder System32. */
export const findWindowsProgram = (
  name: string,
  { SystemRoot }: Readonly<Record<string, string | undefined>>,
): string => `${SystemRoot || 'C:/Windows'}/System32/${name}`
