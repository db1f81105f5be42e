# The study of step 12: every form and both types, at sizes that tiles fit and at sizes beside these, of the stages that do all
# forms and of the study's own kernels.
#uses sizes.awk
#run study type=f32 trans=nn/nt/tn/tt variant=plus_times,padded,prefetch,tt_swapped,any,any_async reps=7 gpu:n=512/1000/1023/1024/1025/2047/2048/2049/4095/4096/4097/8192 sim:n=127/128/129/256
#run study type=f64 trans=nn/nt/tn/tt variant=doubles,doubles_buffered,doubles_async,doubles_tensor reps=7 gpu:n=512/1000/1023/1024/1025/2047/2048/2049/4095/4096/4097/8192 sim:n=127/128/129/256
#plots

BEGIN { last_on_sim = 256; last_on_gpu = 8192; fills_few_sms = 0 }
