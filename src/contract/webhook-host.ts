// The host of a webhook: screens show it, the journal keeps it, and a person accepts it. Its path and query may be a secret.

/** In lower case and ASCII, with its port unless that is the default. Undefined without a webhook. */
export const findWebhookHost = (url: string | undefined): string | undefined => {
  const { hostname, port } = URL.parse(url ?? '') ?? {}
  // The dots at the end of a name make no difference.
  const host = hostname?.replace(/\.+$/, '')
  return host && port ? `${host}:${port}` : host
}

/** As findWebhookHost returns it. Undefined if the text is not only a host. */
export const parseWebhookHost = (text: string): string | undefined =>
  /[\s/\\?#@\p{Cc}]/u.test(text) ? undefined : findWebhookHost(`https://${text}`) || undefined

export const webhookHostForm = 'a host, such as hooks.example.org or hooks.example.org:8443'
