// Makes text safe in HTML, and begins a file that loads nothing and runs nothing.
import { hash } from 'node:crypto'
import { sanitize } from '../terminal/text.ts'

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": '#39',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => `&${entities[found]};`)

/** For text from the service: unsafe characters are shown as escapes. */
export const toHtml = (text: string): string => escapeHtml(sanitize(text))

/** The policy allows this style sheet only: no scripts, images, fonts or forms. */
export const renderHead = (title: string, style: string): string => {
  const allowed = `style-src 'sha256-${hash('sha256', style, 'base64')}'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; ${allowed}; base-uri 'none'; form-action 'none'">
<meta http-equiv="x-dns-prefetch-control" content="off">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width">
<title>${toHtml(title)}</title>
<style>${style}</style>
</head>
<body>
`
}
