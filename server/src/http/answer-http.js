/**
 * The extension that answers HTTP requests that are not WebSockets.
 *
 * @param {{ blobs: (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, path: string) => Promise<void>, state: () => Promise<{ ok: boolean }>, metrics: import('./metrics.js').Metrics }} setup
 * @returns {import('@hocuspocus/server').Extension}
 */
export function answerHttp({ blobs, state, metrics }) {
  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  const answer = async (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    // A request needs a token, which no browser adds by itself: so any page may send one.
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.method === 'OPTIONS') {
      return void response
        .writeHead(204, {
          'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
          'Access-Control-Allow-Headers': 'Authorization, Content-Type',
          'Access-Control-Max-Age': '86400',
        })
        .end()
    }
    if (path.startsWith('/blobs/')) return blobs(request, response, path.slice('/blobs/'.length))
    if (path === '/health') {
      const found = await state()
      return void response
        .writeHead(found.ok ? 200 : 503, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(found))
    }
    if (path === '/metrics')
      return void response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' }).end(metrics.text())
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('keepsession sync server')
  }

  return {
    async onRequest({ request, response }) {
      await answer(request, response)
      // Hocuspocus would answer as well. A rejection without a reason tells it that the request was answered.
      return Promise.reject()
    },
  }
}
