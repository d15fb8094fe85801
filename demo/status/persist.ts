const patienceMs = 4000

/** Asks the browser not to clear this site's data by itself. Some browsers ask the user, who may never answer. */
export async function askToPersist(): Promise<'granted' | 'denied' | 'unanswered' | 'unavailable'> {
  // Absent on insecure origins.
  if (!('storage' in navigator) || !('persist' in navigator.storage)) return 'unavailable'
  const patience = new Promise<'unanswered'>((resolve) => setTimeout(() => resolve('unanswered'), patienceMs))
  const answer = navigator.storage.persist().then(
    (granted) => (granted ? 'granted' : 'denied'),
    () => 'unavailable' as const,
  )
  return Promise.race([answer, patience])
}
