export const jobStatuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'expired'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** From which states a job may enter each; final states never change. */
export const mayBecome: Record<JobStatus, JobStatus[]> = {
  pending: ['pending'],
  in_progress: ['pending', 'in_progress'],
  completed: ['in_progress'],
  failed: ['pending', 'in_progress'],
  cancelled: ['pending', 'in_progress'],
  expired: ['pending', 'in_progress'],
};

export const hasEnded = (status: JobStatus): boolean => status !== 'pending' && status !== 'in_progress';
