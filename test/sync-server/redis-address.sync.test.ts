import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { joinCluster } from '../../server/src/cluster/join-cluster.js'
import { startRedis } from '../support/redis-server.ts'

const isHere = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address))

it.each(['127.0.0.1', '::1'].filter(isHere))('a node reaches the Redis at %s', async (address) => {
  const redis = await startRedis(address)
  const cluster = joinCluster(redis.url, () => {})
  onTestFinished(() => {
    cluster.leave()
    return redis.kill()
  })
  await expect.poll(() => cluster.state()).toBe('ok')
})
