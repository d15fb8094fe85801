import type { Election } from './election.ts'
import type { LeaderChannel } from './leader-channel.ts'

/** Questions without an answer after which a leader counts as frozen, hung or gone. */
const patience = 5

/**
 * Calls back once when the leader no longer answers, names this tab its heir, or has left. The leader is asked instead
 * of reporting by itself: a hidden tab answers at once, while its timers may run once a minute. All waiting tabs receive
 * every answer, so that one question each tick is enough for all of them. Returns a function that stops it.
 *
 * @param term - of the leader, if known
 */
export function watchLeader(
  { tickMs, hiddenFor, hasLasting }: Pick<Election, 'tickMs' | 'hiddenFor' | 'hasLasting'>,
  channel: LeaderChannel,
  me: string,
  act: () => void,
  term?: number,
): () => void {
  let unanswered = 0
  let hasAnswer = false
  let isLeaderHidden = false
  let isLeaderFree = false
  const stop = (): void => {
    clearInterval(timer)
    unsubscribe()
  }
  const finish = (): void => {
    stop()
    act()
  }
  const tick = (): void => {
    const isVisible = hiddenFor() === 0
    // When asked, a leader without lasting work hands over to a tab that has some, and among equals a hidden one to a
    // visible tab.
    const mayGetLead = hasLasting()
      ? isLeaderFree || (isLeaderHidden && isVisible)
      : isLeaderFree && isLeaderHidden && isVisible
    const needsNoQuestion = hasAnswer && !mayGetLead
    if (hasAnswer) unanswered = 0
    hasAnswer = false
    if (needsNoQuestion) return
    if (unanswered++ >= patience) return finish()
    channel.say({ keepsession: 'who-leads', from: me, isVisible, hasLasting: hasLasting() })
  }
  const unsubscribe = channel.subscribe((message) => {
    if (message.keepsession === 'no-leader' && message.term === term) return finish()
    if (message.keepsession !== 'leader') return
    hasAnswer = true
    isLeaderHidden = !message.isVisible
    isLeaderFree = !message.hasLasting
    // A tab that watched another leader has to find out again which one to watch.
    if (message.heir === me || (term !== undefined && message.term > term)) finish()
  })
  const timer = setInterval(tick, tickMs)
  tick()
  return stop
}
