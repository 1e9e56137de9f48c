// Reads when the certificate of a server ends. It opens a connection of its own, and sends nothing over it.
import { request as sendOverHttp } from 'node:http'
import { request as sendOverTls } from 'node:https'
import type { Socket } from 'node:net'
import { connect, type PeerCertificate } from 'node:tls'
import { type Environment, findProxy } from './dispatcher.ts'

type Options = { readonly environment: Environment; readonly signal: AbortSignal }

/** Milliseconds since the UNIX epoch. Undefined for plain http, or if there is no answer: a call says why. */
export const readCertificateEnd = async (
  baseUrl: string,
  { environment, signal }: Options,
): Promise<number | undefined> => {
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:') return undefined
  try {
    const proxy = findProxy(url, environment)
    const socket = proxy === undefined ? undefined : await openTunnel(url, new URL(proxy.uri), signal)
    const { valid_to: end } = await readCertificate(url, socket, signal)
    const ms = Date.parse(end)
    return Number.isNaN(ms) ? undefined : ms
  } catch {
    return undefined
  }
}

const portOf = (url: URL): number => Number(url.port || 443)
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.+)\]$/, '$1')

const readCertificate = (
  url: URL,
  socket: Socket | undefined,
  signal: AbortSignal,
): Promise<PeerCertificate> =>
  new Promise((resolve, reject) => {
    const host = hostOf(url)
    const isAddress = /^[\d.]+$|:/.test(host)
    const secure = connect({
      ...(socket === undefined ? { host, port: portOf(url) } : { socket }),
      ...(isAddress ? {} : { servername: host }),
      // An expired certificate has an end, too.
      rejectUnauthorized: false,
    })
    const end = (): void => {
      secure.destroy()
      socket?.destroy()
    }
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    secure.once('secureConnect', () => {
      resolve(secure.getPeerCertificate())
      end()
    })
    secure.once('error', reject)
    secure.once('close', () => reject(new Error('closed')))
  })

/** Asks the proxy for a connection to the server. */
const openTunnel = (url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const target = `${url.hostname}:${portOf(url)}`
    const user = [proxy.username, proxy.password].map(decodeURIComponent).join(':')
    const authorization = `Basic ${Buffer.from(user).toString('base64')}`
    const send = proxy.protocol === 'https:' ? sendOverTls : sendOverHttp
    const asking = send({
      host: hostOf(proxy),
      port: Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80)),
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...(user === ':' ? {} : { 'proxy-authorization': authorization }) },
      signal,
      agent: false,
    })
    asking.once('connect', ({ statusCode }, socket: Socket) => {
      if (statusCode === 200) return resolve(socket)
      socket.destroy()
      reject(new Error(`status ${statusCode}`))
    })
    asking.once('error', reject)
    asking.end()
  })
