/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} text
 */
export function sendText(response, status, text) {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(text)
}
