// Opens a URL in the browser of the user.
import type { Context } from '../../context.ts'

/** Prints a warning if the browser cannot be opened. Never rejects. */
export const openInBrowser = async ({ platform, launch, stderr }: Context, url: string): Promise<void> => {
  try {
    await launch([...(openers[platform] ?? ['xdg-open']), url])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'xdg-open is not installed' : message
    stderr.write(`warning: cannot open the browser: ${why}\n  open it yourself: ${url}\n`)
  }
}

const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  // `start` is a command of a shell, which would interpret the URL.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}
