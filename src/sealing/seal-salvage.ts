import type { RowSalvage, SessionRemains } from '../contract/row-salvage.ts'
import type { ColdRow, HotRow } from '../contract/rows.ts'
import type { Keys } from './open-keys.ts'
import { sealCold, sealHot, unsealCold, unsealHot } from './sealed-rows.ts'
import type { Sealer } from './sealer.ts'
import { unlessUnsealable } from './unseal-stored.ts'

/**
 * The salvage of an encrypted backend: rows that can't be unsealed are damaged, even if the backend below can read
 * them.
 */
export function sealSalvage(salvage: RowSalvage, keys: Keys, sealer: Sealer): RowSalvage {
  const openHot = (hot: HotRow | undefined): Promise<HotRow | undefined> =>
    hot === undefined ? Promise.resolve(undefined) : unsealHot(sealer, hot).catch(unlessUnsealable(() => undefined))
  const openCold = (session: number, cold: ColdRow | undefined): Promise<ColdRow | undefined> =>
    cold === undefined
      ? Promise.resolve(undefined)
      : unsealCold(sealer, session, cold).catch(unlessUnsealable(() => undefined))

  return {
    // Keys and numbers are not sealed.
    findOtherNumbers: (known) => salvage.findOtherNumbers(known),
    findRemains: async (key) => {
      const found = await salvage.findRemains(key)
      if (found === undefined) return undefined
      const { hot: sealedHot, cold: sealedCold, ...rest } = found
      const [hot, cold] = await Promise.all([openHot(sealedHot), openCold(found.session, sealedCold)])
      return { ...rest, ...(hot && { hot }), ...(cold && { cold }) } satisfies SessionRemains
    },
    replaceRows: async ({ hot, cold }) => {
      // If the key changes during this call, rows that were sealed with the old one are sealed again together with all
      // others.
      await keys.refresh()
      const found = await salvage.findRemains(hot.key)
      const [heldHot, heldCold] = await Promise.all([openHot(found?.hot), openCold(hot.session, found?.cold)])
      const broken = {
        ...(found?.hot !== undefined && heldHot === undefined ? { hot: found.hot.version } : {}),
        ...(found?.cold !== undefined && heldCold === undefined ? { cold: found.cold.version } : {}),
      }
      if (!sealer.isSealing()) return salvage.replaceRows({ hot, cold }, broken)
      const [sealedHot, sealedCold] = await Promise.all([sealHot(sealer, hot), sealCold(sealer, hot.session, cold)])
      return salvage.replaceRows({ hot: sealedHot, cold: sealedCold }, broken)
    },
  }
}
