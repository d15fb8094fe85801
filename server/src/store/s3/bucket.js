import { AwsClient } from 'aws4fetch'

/** Milliseconds until a service that does not answer counts as failed. */
const PATIENCE = 30_000

/** How a service answers where there is nothing. */
const MISSING = [404]

/** There was something already, or another upload has come first. */
const PRECONDITION_FAILED = 412

/** How services answer that have no conditions. */
const UNKNOWN_CONDITION = [400, 501]

/**
 * The operations on a bucket.
 *
 * @typedef {ReturnType<typeof openBucket>} Bucket
 * @param {import('../../options.js').S3Options} options
 */
export function openBucket({ endpoint, bucket, accessKeyId, secretAccessKey, region = 'us-east-1', prefix = '' }) {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const base = `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`
  /** @param {string} key */
  const address = (key) => `${base}/${(prefix + key).split('/').map(encodeURIComponent).join('/')}`

  /**
   * @param {string} url
   * @param {RequestInit} [init]
   * @param {readonly number[]} [expected] - statuses that are no failure
   */
  const ask = async (url, init, expected = []) => {
    const response = await client.fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE) })
    if (response.ok || expected.includes(response.status)) return response
    throw new Error(
      `${init?.method ?? 'GET'} ${url} was answered with ${response.status}: ${(await response.text()).slice(0, 200)}`,
    )
  }

  /**
   * @param {string} key
   * @param {Uint8Array} content
   * @param {Record<string, string>} [headers]
   * @param {readonly number[]} [expected]
   * @returns {Promise<number>} the status
   */
  const put = async (key, content, headers = {}, expected = []) => {
    const body = /** @type {Uint8Array<ArrayBuffer>} */ (content)
    const response = await ask(address(key), { method: 'PUT', body, headers }, expected)
    await response.arrayBuffer()
    return response.status
  }

  return {
    /**
     * @param {string} key
     * @param {Uint8Array} content
     */
    async put(key, content) {
      await put(key, content)
    },
    /**
     * Stores what nothing has this key of yet. What is there stays.
     *
     * @param {string} key
     * @param {Uint8Array} content
     */
    async putFirst(key, content) {
      const status = await put(key, content, { 'If-None-Match': '*' }, [PRECONDITION_FAILED, ...UNKNOWN_CONDITION])
      if (UNKNOWN_CONDITION.includes(status)) await put(key, content)
    },
    /**
     * @param {string} key
     * @returns {Promise<Uint8Array | undefined>}
     */
    async get(key) {
      const response = await ask(address(key), {}, MISSING)
      const content = new Uint8Array(await response.arrayBuffer())
      return response.ok ? content : undefined
    },
    /**
     * @param {string} key
     * @returns {Promise<number | undefined>} bytes
     */
    async size(key) {
      const response = await ask(address(key), { method: 'HEAD' }, MISSING)
      return response.ok ? Number(response.headers.get('content-length')) : undefined
    },
    /** @param {string} key */
    async remove(key) {
      await (await ask(address(key), { method: 'DELETE' }, MISSING)).arrayBuffer()
    },
    /**
     * @param {string} start - what the keys start with
     * @returns {Promise<string[]>} whole keys, without the prefix of the options
     */
    async list(start) {
      const keys = []
      /** @type {string | undefined} */
      let token
      do {
        const query = new URLSearchParams({
          'list-type': '2',
          prefix: prefix + start,
          ...(token === undefined ? {} : { 'continuation-token': token }),
        })
        const text = await (await ask(`${base}?${query}`)).text()
        for (const [, key] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(plain(key ?? '').slice(prefix.length))
        const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1]
        token = next === undefined ? undefined : plain(next)
      } while (token !== undefined)
      return keys
    },
  }
}

/** @param {string} xml */
function plain(xml) {
  return xml.replace(
    /&(lt|gt|quot|apos|amp);/g,
    (_, name) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[/** @type {'lt'} */ (name)],
  )
}
