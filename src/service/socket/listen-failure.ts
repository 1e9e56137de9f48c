// Turns an error of `server.listen` into a failure with a fix.
import { Failure } from '../../errors.ts'

/** Returns an unknown error unchanged. */
export const toListenFailure = (
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  command = 'serve-mock',
): Error => {
  const fail = (field: '--host' | '--port', message: string) =>
    new Failure('usage', message, {
      fix: (suggest) => {
        const flags = field === '--host' ? { host: '127.0.0.1' } : { port: '0' }
        return command === 'listen' ? suggest`listen ${flags}` : suggest`serve-mock ${flags}`
      },
      field,
      cause: error,
    })
  switch (error.code) {
    case 'EADDRINUSE':
      return fail('--port', `port ${port} is already in use on ${host}`)
    case 'EACCES':
      return fail('--port', `no permission to open port ${port} on ${host}`)
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return fail('--host', `${host} is not an address of this machine`)
    default:
      return error.syscall === 'getaddrinfo' ? fail('--host', `cannot resolve the host name ${host}`) : error
  }
}
