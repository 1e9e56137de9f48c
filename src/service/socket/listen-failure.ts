// Turns an error of `server.listen` into a failure with a fix.
import { Failure } from '../../errors.ts'

const fixes = { '--host': { host: '127.0.0.1' }, '--port': { port: '0' } }

/** Returns an unknown error unchanged. */
export const toListenFailure = (
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  command = 'serve-mock',
): Error => {
  const fail = (field: keyof typeof fixes, message: string) =>
    new Failure('usage', message, {
      fix: (suggest) =>
        command === 'listen' ? suggest`listen ${fixes[field]}` : suggest`serve-mock ${fixes[field]}`,
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
