// The fault matrix: faults of the network in each situation, one of each pattern of results.

// A cell has the exit code, the requests and the state in the journal. Requests: g get, c create, p confirm; a capital
// letter failed, X is a failed connection, a number is a count, + is one or more. States: * created, $ confirmed,
// ! not sent, x refused, ? unknown, ~ lost. A point marks an impossible cell.
//
// get, watch: every response fails; `once`: only the first; `later`: all but the first. create, confirm: `lost`: the request
// is lost; `done`: the service carries it out and the response is lost. Other requests succeed, except: `dark`: all requests
// after it fail; `blind`: the get before it fails too.
export const matrix = `
== http
--                           | get  | get  | watch | watch   | create | create | confirm  | confirm  | confirm   | confirm | what is said
--                           |      | once |       | later   | lost   | done   | lost     | done     | dark      | blind   |
== http: a response is struck, or never comes
-- nothing can be told of it; get asks again, what spends does not
reset without a response      | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
-- part of it came: an id in it is kept
reset half way               | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
closed half way, no length   | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not valid JSON
-- too slow, by the deadline of the whole call
a byte a second              | 5 G  | 5 G  | 5 G5  | 124 gG  | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG2 ?  | 5 G *   | timed out after 43 s
-- too large, or packed
1 GiB                        | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is larger than 2 MiB
gzip                         | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is compressed, which orderctl did not ask for
-- whole, and no response to what was asked
two ids                      | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C ~  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response contains a key twice in one object, at line 1
20 digits for a time         | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPg $  | 6 gPG $   | 5 G *   | HTTP 200: the response is not as documented: data.
for another order            | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is
-- another status than is documented
302 elsewhere                | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 302: redirected to http://127.0.0.1:
413                          | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | .      | .        | .        | .         | 5 G *   | HTTP 413: an HTML page: 413 Request Entity Too Large
429                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | .      | .      | .        | .        | .         | 5 G3 *  | HTTP 429: Slow down
502 with escapes             | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 502:
-- a refusal: the status is documented, or a server responds with it before it acts
400 that repeats the key     | 3 G  | 3 G  | 3 G   | 124 gG+ | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG7 ?  | 3 G *   | no key like [key]
403                          | 4 G  | 4 G  | 4 G   | 6 gG    | 4 C x  | 4 C x  | 4 gPg *  | 0 gPgg $ | 6 gPG7 ?  | 4 G *   | Forbidden
404                          | 3 G  | 3 G  | 3 G   | 124 gG+ | 3 C x  | 3 C x  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 3 G *   | Not Found
413                          | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG7 ?  | .       | 413 Request Entity Too Large
429                          | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG21 ? | .       | Slow down
-- nothing has left: all are tried three times
nobody listens               | 5 -  | 0 g  | 5 -   | 124 g   | 5 - !  | .      | 5 g *    | .        | .         | 5 - *   | connection refused
== nowhere
no such name                 | 5 -  | .    | 5 -   | .       | 5 - !  | .      | .        | .        | .         | 5 -     | cannot resolve orders.invalid
== https
-- a person must act: tried once
certificate: expired         | 5 X  | 5 X  | 5 X   | 124 gX+ | 5 X !  | .      | 5 gX *   | .        | .         | 5 X *   | certificate has expired
-- silence is waited for
handshake: silence           | 5 X  | 5 X  | 5 X   | 124 gX  | 5 X !  | .      | 5 gX *   | .        | .         | 5 X *   | timed out after 43 s
== tunnel: through a proxy
proxy: nobody listens        | 5 -  | 0 g  | 5 -   | 124 g   | 5 - !  | .      | 5 g *    | .        | .         | 5 - *   | connection refused (HTTPS_PROXY is
proxy: 407, a login          | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the proxy refused the connection: HTTP 407 (HTTPS_PROXY is
proxy: silence               | 5 X  | 5 X  | 5 X   | 124 gX  | 5 X !  | .      | 5 gX *   | .        | .         | 5 X *   | timed out after 43 s (HTTPS_PROXY is
== forward: a proxy that has read the request
407                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the proxy refused the connection: HTTP 407
502 with escapes             | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 502:
`
