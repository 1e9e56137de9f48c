// The fault matrix: each fault of the network in each situation.

// A cell has the exit code, the requests and the state in the journal. Requests: g get, c create, p confirm; a capital
// letter failed, X is a failed connection, a number is a count, + is one or more. States: * created, $ confirmed,
// ! not sent, x refused, ? unknown, ~ lost. A point marks an impossible cell.
//
// get, watch: every response fails; `once`: only the first; `later`: all but the first. create, confirm: `lost`: the request
// is lost; `done`: the service carries it out and the response is lost. Other requests succeed, except: `dark`: all requests
// after it fail; `blind`: the get before it fails too.
export const matrix = `
--                           | get  | get  | watch | watch   | create | create | confirm  | confirm  | confirm   | confirm | what is said
--                           |      | once |       | later   | lost   | done   | lost     | done     | dark      | blind   |
== http: a response is struck, or never comes
-- nothing can be told of it; get asks again, what spends does not
reset without a response      | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
closed without a response     | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the connection closed before the response was complete
reset in the head            | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
reset after the head         | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
no HTTP                      | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is not HTTP
noise                        | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is not HTTP
a head without end           | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the headers of the response are too large
two lengths                  | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response does not have its announced length
a length and chunks          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response does not have its announced length
a change of protocol         | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the connection closed before the response was complete
-- part of it came: an id in it is kept
reset half way               | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
closed half way              | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the connection closed before the response was complete
closed half way, in chunks   | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the connection closed before the response was complete
closed half way, gzip        | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the connection closed before the response was complete
closed half way, no length   | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not valid JSON
-- too slow, by the deadline of the whole call
a byte a second              | 5 G  | 5 G  | 5 G5  | 124 gG  | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG2 ?  | 5 G *   | timed out after 43 s
"just a moment" for ever     | 5 G  | 5 G  | 5 G5  | 124 gG  | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG2 ?  | 5 G *   | timed out after 43 s
silence                      | 5 G  | 5 G  | 5 G5  | 124 gG  | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG2 ?  | 5 G *   | timed out after 43 s
-- too large, or packed
1 GiB                        | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is larger than 2 MiB
a gzip bomb of 1 GiB         | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is larger than 2 MiB
a bomb in a bomb             | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is larger than 2 MiB
gzip 10 times                | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response is compressed too many times
gzip, half of it             | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the compressed response is damaged
gzip that is none            | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the compressed response is damaged
deflate that says gzip       | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the compressed response is damaged
an unknown compression       | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C *  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the response has an unsupported content encoding
-- whole, and no response to what was asked
nothing at all               | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: an empty response
no content                   | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 204: an empty response
null                         | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not as documented: the document is wrong (allowed: an object)
a list                       | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not as documented: the document is wrong (allowed: an object)
no data                      | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not as documented: data is missing (allowed: an object)
data is a text               | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not as documented: data is wrong (allowed: an object)
bytes that are no text       | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not UTF-8 text
JSON 100,000 deep            | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is nested deeper than 32 levels
data 100,000 deep            | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is nested deeper than 32 levels
a key twice                  | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response contains a key twice in one object, at line 1
two ids                      | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C ~  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response contains a key twice in one object, at line 1
1e400                        | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response contains a number out of range at line 1
20 digits for a time         | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPg $  | 6 gPG $   | 5 G *   | HTTP 200: the response is not as documented: data.
more behind its end          | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is not valid JSON: expected the end of the text at line 1
a page                       | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: an HTML page: Welcome to the hotel
JSON called a page           | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: an HTML page
for another order            | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | 5 C *  | .        | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 200: the response is
-- whole, and good
closed at its end, no length | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
a second response behind it    | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
gzip                         | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
gzip 3 times                 | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
20 digits where nobody looks | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
a BOM in front               | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
JSON called a text           | 0 G  | 0 G  | 0 G   | 124 gG+ | .      | 0 C *  | .        | 0 gPg $  | 0 gPG $   | 0 GPG $ |
-- another status than is documented
301 here                     | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 301: redirected to http://127.0.0.1:
302 elsewhere                | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 302: redirected to http://127.0.0.1:
303 here                     | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 303: redirected to http://127.0.0.1:
307 here                     | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 307: redirected to http://127.0.0.1:
307 elsewhere                | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 307: redirected to http://127.0.0.1:
308 elsewhere                | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 308: redirected to http://127.0.0.1:
304                          | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 304: a response that is not documented
404, a page                  | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 404: an HTML page: nginx
408                          | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 408: a response that is not documented
409                          | 5 G  | 5 G  | 5 G5  | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 5 G *   | HTTP 409: Conflict
413                          | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | .      | .        | .        | .         | 5 G *   | HTTP 413: an HTML page: 413 Request Entity Too Large
429                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | .      | .      | .        | .        | .         | 5 G3 *  | HTTP 429: Slow down
429, wait 1 s                | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | .      | .      | .        | .        | .         | 5 G3 *  | HTTP 429: a response that is not documented
429, wait 2 min              | 5 G  | 5 G  | 5 G5  | 124 gG+ | .      | .      | .        | .        | .         | 5 G *   | HTTP 429: a response that is not documented
500                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 500: a response that is not documented
500, a page                  | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 500: an HTML page: Oops
502                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 502: an HTML page: 502 Bad Gateway
502 with escapes             | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 502:
503                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 503: upstream connect error
503, wait 1 s                | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 503: a response that is not documented
504                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 504: an HTML page: 504 Gateway Time-out
511                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 511: an HTML page: Log in to the network
599                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 599: a response that is not documented
-- a refusal: the status is documented, or a server responds with it before it acts
400 that repeats the key     | 3 G  | 3 G  | 3 G   | 124 gG+ | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG7 ?  | 3 G *   | no key like [key]
401                          | 4 G  | 4 G  | 4 G   | 6 gG    | 4 C x  | 4 C x  | 4 gPg *  | 0 gPgg $ | 6 gPG7 ?  | 4 G *   | status 401
403                          | 4 G  | 4 G  | 4 G   | 6 gG    | 4 C x  | 4 C x  | 4 gPg *  | 0 gPgg $ | 6 gPG7 ?  | 4 G *   | Forbidden
404                          | 3 G  | 3 G  | 3 G   | 124 gG+ | 3 C x  | 3 C x  | 6 gPg7 ? | 0 gPgg $ | 6 gPG7 ?  | 3 G *   | Not Found
413                          | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG7 ?  | .       | 413 Request Entity Too Large
429                          | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG21 ? | .       | Slow down
429, wait 1 s                | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG21 ? | .       | status 429
429, wait 2 min              | .    | .    | .     | .       | 3 C x  | 3 C x  | 3 gPg *  | 0 gPgg $ | 6 gPG7 ?  | .       | status 429
-- nothing has left: all are tried three times
nobody listens               | 5 -  | 0 g  | 5 -   | 124 g   | 5 - !  | .      | 5 g *    | .        | .         | 5 - *   | connection refused
== nowhere
no such name                 | 5 -  | .    | 5 -   | .       | 5 - !  | .      | .        | .        | .         | 5 -     | cannot resolve orders.invalid
== https
certificate: self-signed     | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | certificate is self-signed
certificate: expired         | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | certificate has expired
certificate: not valid yet   | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | certificate is not valid yet
certificate: another host    | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | certificate is not for localhost
no TLS there                 | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | TLS handshake failed
handshake: reset             | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | connection reset
handshake: closed            | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | connection reset
handshake: silence           | 5 X  | 5 X  | 5 X   | 124 gX  | 5 X !  | .      | 5 gX *   | .        | .         | 5 X *   | timed out after 43 s
== tunnel: through a proxy
proxy: nobody listens        | 5 -  | 0 g  | 5 -   | 124 g   | 5 - !  | .      | 5 g *    | .        | .         | 5 - *   | connection refused (HTTPS_PROXY is
proxy: 403                   | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the proxy refused the connection: HTTP 403 (HTTPS_PROXY is
proxy: 407, a login          | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the proxy refused the connection: HTTP 407 (HTTPS_PROXY is
proxy: 502                   | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the proxy refused the connection: HTTP 502 (HTTPS_PROXY is
proxy: closed                | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the proxy closed the connection (HTTPS_PROXY is
proxy: reset                 | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | connection reset (HTTPS_PROXY is
proxy: no HTTP               | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | the response is not HTTP (HTTPS_PROXY is
proxy: silence               | 5 X  | 5 X  | 5 X   | 124 gX  | 5 X !  | .      | 5 gX *   | .        | .         | 5 X *   | timed out after 43 s (HTTPS_PROXY is
proxy: self-signed behind it | 5 X3 | 0 Xg | 5 X3  | 124 gX+ | 5 X3 ! | .      | 5 gX3 *  | .        | .         | 5 X3 *  | certificate is self-signed (HTTPS_PROXY is
== forward: a proxy that has read the request
407                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | the proxy refused the connection: HTTP 407
502                          | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg7 ? | 0 gPgg $ | 6 gPG21 ? | 5 G3 *  | HTTP 502: an HTML page: 502 Bad Gateway
reset without a response      | 5 G3 | 0 Gg | 5 G15 | 124 gG+ | 5 C ~  | 5 C ~  | 6 gPg6 ? | 0 gPgg $ | 6 gPG18 ? | 5 G3 *  | connection reset
`
