import type { ChangeSink } from '../src/contract/change.ts'
import type { MirrorState } from '../src/contract/mirror.ts'
import type { OpenMessage } from '../src/contract/worker-protocol.ts'
import type { CommitMirror } from '../src/mirror/mirror-commits.ts'
import type { MirrorFolder } from '../src/mirror/mirror-folder.ts'
import { mirrorName, parseMirrorName } from '../src/mirror/mirror-names.ts'
import { openMirror, type OpenMirror } from '../src/mirror/open-mirror.ts'
import { openOpfsFolder } from '../src/mirror/opfs-folder.ts'
import { drawBoot } from './draw-boot.ts'

/** The mirror of this worker, or why there is none. */
export interface MirrorHere {
  readonly state: MirrorState
  readonly open?: { readonly mirror: OpenMirror & CommitMirror; readonly folder: MirrorFolder; readonly own: string }
}

/** Starts to look for the folder at once, so that it takes no time beside the database. */
export function openMirrorHere({ name, mirror: isWanted }: OpenMessage, onNotice: ChangeSink): (epoch: string) => Promise<MirrorHere> {
  const finding = isWanted === true ? openOpfsFolder(name).then(async (folder) => ({ folder, files: await folder.list() })) : Promise.reject(new Error('it was not asked for'))
  finding.catch(() => undefined)
  return async (epoch) => {
    try {
      const { folder, files } = await finding
      const boot = drawBoot()
      const onStop = (reason: string): void => onNotice({ type: 'notice', name: 'degraded', message: `What is stored from here on is not mirrored: ${reason}. It is in the database all the same.` })
      const hasLost = files.some((file) => (parseMirrorName(file)?.epoch ?? epoch) !== epoch)
      return { state: { isOn: true, hasLost }, open: { mirror: openMirror({ folder, epoch, boot }, onStop), folder, own: mirrorName({ epoch, boot }) } }
    } catch (error) {
      return { state: { isOn: false, reason: (error as Error).message } }
    }
  }
}
