// The layers of torch::nn and the functions of torch::nn::functional, by name; then the settings of their options,
// grouped by type so that user code can calculate with what it reads back.
#pragma once
#pragma GCC system_header

// Layers whose forward takes tensors and returns one tensor.
#define DEADGRAD_STUB_LAYERS(X)                                                                                        \
  X(AdaptiveAvgPool1d)                                                                                                 \
  X(AdaptiveAvgPool2d) X(AdaptiveAvgPool3d) X(AdaptiveMaxPool1d) X(AdaptiveMaxPool2d) X(AdaptiveMaxPool3d) X(          \
      AlphaDropout) X(AvgPool1d) X(AvgPool2d) X(AvgPool3d) X(BCELoss) X(BCEWithLogitsLoss) X(BatchNorm1d)              \
      X(BatchNorm2d) X(BatchNorm3d) X(Bilinear) X(CELU) X(CTCLoss) X(ChannelShuffle) X(CircularPad1d) X(CircularPad2d) \
          X(CircularPad3d) X(ConstantPad1d) X(ConstantPad2d) X(ConstantPad3d) X(Conv1d) X(Conv2d) X(Conv3d) X(         \
              ConvTranspose1d) X(ConvTranspose2d) X(ConvTranspose3d) X(CosineEmbeddingLoss) X(CosineSimilarity)        \
              X(CrossEntropyLoss) X(CrossMapLRN2d) X(Dropout) X(Dropout1d) X(Dropout2d) X(Dropout3d) X(ELU) X(         \
                  FeatureAlphaDropout) X(Flatten) X(Fold) X(FractionalMaxPool2d) X(FractionalMaxPool3d) X(GELU) X(GLU) \
                  X(GRUCell) X(GaussianNLLLoss) X(GroupNorm) X(Hardshrink) X(Hardsigmoid) X(Hardswish) X(Hardtanh) X(  \
                      HingeEmbeddingLoss) X(HuberLoss) X(Identity) X(InstanceNorm1d) X(InstanceNorm2d)                 \
                      X(InstanceNorm3d) X(KLDivLoss) X(L1Loss) X(LPPool1d) X(LPPool2d) X(LPPool3d) X(LayerNorm) X(     \
                          LeakyReLU) X(Linear) X(LocalResponseNorm) X(LogSigmoid)                                      \
                          X(LogSoftmax) X(MSELoss) X(MarginRankingLoss) X(MaxPool1d) X(MaxPool2d) X(MaxPool3d) X(      \
                              MaxUnpool1d) X(MaxUnpool2d)                                                              \
                              X(MaxUnpool3d) X(Mish) X(MultiLabelMarginLoss) X(MultiLabelSoftMarginLoss) X(            \
                                  MultiMarginLoss) X(NLLLoss)                                                          \
                                  X(PReLU) X(PairwiseDistance) X(PixelShuffle) X(PixelUnshuffle) X(PoissonNLLLoss) X(  \
                                      RMSNorm) X(RNNCell) X(RReLU) X(ReLU) X(ReLU6) X(ReflectionPad1d)                 \
                                      X(ReflectionPad2d) X(ReflectionPad3d) X(ReplicationPad1d) X(ReplicationPad2d) X( \
                                          ReplicationPad3d) X(SELU)                                                    \
                                          X(SiLU) X(Sigmoid) X(SmoothL1Loss) X(SoftMarginLoss) X(Softmax) X(Softmax2d) \
                                              X(Softmin) X(Softplus) X(Softshrink) X(Softsign) X(SyncBatchNorm)        \
                                                  X(Tanh) X(Tanhshrink) X(Threshold) X(Transformer)                    \
                                                      X(TransformerDecoder) X(TransformerDecoderLayer)                 \
                                                          X(TransformerEncoder) X(TransformerEncoderLayer)             \
                                                              X(TripletMarginLoss) X(TripletMarginWithDistanceLoss)    \
                                                                  X(Unflatten) X(Unfold) X(Upsample)                   \
                                                                      X(UpsamplingBilinear2d) X(UpsamplingNearest2d)   \
                                                                          X(ZeroPad1d) X(ZeroPad2d) X(ZeroPad3d)

#define DEADGRAD_STUB_FUNCTIONALS(X)                                                                                   \
  X(adaptive_avg_pool1d)                                                                                               \
  X(adaptive_avg_pool2d) X(adaptive_avg_pool3d) X(adaptive_max_pool1d) X(adaptive_max_pool2d) X(adaptive_max_pool3d)   \
      X(affine_grid) X(alpha_dropout) X(avg_pool1d) X(avg_pool2d) X(avg_pool3d) X(batch_norm) X(bilinear)              \
          X(binary_cross_entropy) X(binary_cross_entropy_with_logits) X(celu) X(conv1d) X(conv2d) X(conv3d) X(         \
              conv_transpose1d) X(conv_transpose2d) X(conv_transpose3d) X(cosine_embedding_loss) X(cosine_similarity)  \
              X(cross_entropy) X(ctc_loss) X(dropout) X(dropout1d) X(dropout2d) X(dropout3d) X(elu) X(embedding)       \
                  X(embedding_bag) X(feature_alpha_dropout) X(fold) X(fractional_max_pool2d) X(fractional_max_pool3d)  \
                      X(gelu) X(glu) X(grid_sample) X(group_norm) X(gumbel_softmax) X(hardshrink) X(hardsigmoid)       \
                          X(hardswish) X(hardtanh) X(hinge_embedding_loss) X(huber_loss) X(instance_norm)              \
                              X(interpolate) X(kl_div) X(l1_loss) X(layer_norm) X(leaky_relu) X(linear)                \
                                  X(local_response_norm) X(log_softmax) X(logsigmoid) X(lp_pool1d) X(lp_pool2d)        \
                                      X(margin_ranking_loss) X(max_pool1d) X(max_pool2d) X(max_pool3d) X(max_unpool1d) \
                                          X(max_unpool2d) X(max_unpool3d) X(mish) X(mse_loss) X(multi_margin_loss)     \
                                              X(multilabel_margin_loss) X(multilabel_soft_margin_loss) X(nll_loss)     \
                                                  X(normalize) X(one_hot) X(pad) X(pairwise_distance) X(pdist)         \
                                                      X(pixel_shuffle) X(pixel_unshuffle) X(poisson_nll_loss) X(prelu) \
                                                          X(relu) X(relu6) X(relu_) X(rms_norm) X(rrelu)               \
                                                              X(scaled_dot_product_attention) X(selu) X(sigmoid)       \
                                                                  X(silu) X(smooth_l1_loss) X(soft_margin_loss)        \
                                                                      X(softmax) X(softmin) X(softplus) X(softshrink)  \
                                                                          X(softsign) X(tanh) X(tanhshrink)            \
                                                                              X(threshold) X(triplet_margin_loss)      \
                                                                                  X(triplet_margin_with_distance_loss) \
                                                                                      X(unfold) X(upsample)

#define DEADGRAD_STUB_FUNCTIONALS_WITH_INDICES(X)                                                               \
  X(adaptive_max_pool1d_with_indices)                                                                           \
  X(adaptive_max_pool2d_with_indices) X(adaptive_max_pool3d_with_indices) X(fractional_max_pool2d_with_indices) \
      X(fractional_max_pool3d_with_indices) X(max_pool1d_with_indices) X(max_pool2d_with_indices)               \
          X(max_pool3d_with_indices)

#define DEADGRAD_STUB_FUNCTIONAL_OPTIONS(X)                                                                           \
  X(AdaptiveAvgPool1d)                                                                                                \
  X(AdaptiveAvgPool2d) X(AdaptiveAvgPool3d) X(AdaptiveMaxPool1d) X(AdaptiveMaxPool2d) X(AdaptiveMaxPool3d)            \
      X(AlphaDropout) X(AvgPool1d) X(AvgPool2d) X(AvgPool3d) X(BatchNorm) X(BinaryCrossEntropy)                       \
          X(BinaryCrossEntropyWithLogits) X(CELU) X(CTCLoss) X(Conv1d) X(Conv2d) X(Conv3d) X(ConvTranspose1d)         \
              X(ConvTranspose2d) X(ConvTranspose3d) X(CosineEmbeddingLoss) X(CosineSimilarity) X(CrossEntropy)        \
                  X(Dropout) X(Dropout2d) X(Dropout3d) X(ELU) X(Embedding) X(EmbeddingBag) X(FeatureAlphaDropout)     \
                      X(Fold) X(FractionalMaxPool2d) X(FractionalMaxPool3d) X(GELU) X(GLU) X(GridSample) X(GroupNorm) \
                          X(GumbelSoftmax) X(Hardshrink) X(Hardtanh) X(HingeEmbeddingLoss) X(HuberLoss)               \
                              X(InstanceNorm) X(Interpolate) X(KLDiv) X(L1Loss) X(LPPool1d) X(LPPool2d) X(LayerNorm)  \
                                  X(LeakyReLU) X(LocalResponseNorm) X(LogSoftmax) X(MSELoss) X(MarginRankingLoss)     \
                                      X(MaxPool1d) X(MaxPool2d) X(MaxPool3d) X(MaxUnpool1d) X(MaxUnpool2d)            \
                                          X(MaxUnpool3d) X(MultiMarginLoss) X(MultiheadAttentionForward)              \
                                              X(MultilabelMarginLoss) X(MultilabelSoftMarginLoss) X(NLLLoss)          \
                                                  X(Normalize) X(OneHot) X(Pad) X(PairwiseDistance) X(PixelShuffle)   \
                                                      X(PixelUnshuffle) X(PoissonNLLLoss) X(RReLU) X(ReLU) X(ReLU6)   \
                                                          X(SELU) X(SmoothL1Loss) X(SoftMarginLoss) X(Softmax)        \
                                                              X(Softmin) X(Softplus) X(Softshrink) X(Threshold)       \
                                                                  X(TripletMarginLoss)                                \
                                                                      X(TripletMarginWithDistanceLoss) X(Unfold)

#define DEADGRAD_STUB_INTEGER_OPTIONS(X)                                                                              \
  X(blank)                                                                                                            \
  X(d_model) X(dim) X(dim_feedforward) X(downscale_factor) X(embed_dim) X(embedding_dim) X(end_dim) X(groups)         \
      X(hidden_size) X(history_size) X(ignore_index) X(in1_features) X(in2_features) X(in_channels) X(in_features)    \
          X(input_size) X(kdim) X(max_iter) X(n_classes) X(nhead) X(num_channels) X(num_chunks) X(num_decoder_layers) \
              X(num_embeddings) X(num_encoder_layers) X(num_features) X(num_groups) X(num_heads) X(num_layers)        \
                  X(num_parameters) X(out_channels) X(out_features) X(proj_size) X(start_dim) X(upscale_factor)       \
                      X(vdim)

#define DEADGRAD_STUB_NUMBER_OPTIONS(X)                                                                              \
  X(alpha)                                                                                                           \
  X(beta) X(delta) X(div_value) X(dropout) X(eps) X(init) X(label_smoothing) X(lambda) X(lower) X(margin) X(max_val) \
      X(min_val) X(negative_slope) X(norm_type) X(p) X(tau) X(threshold) X(upper) X(value)

#define DEADGRAD_STUB_FLAG_OPTIONS(X)                                                                              \
  X(add_bias_kv)                                                                                                   \
  X(add_zero_attn) X(affine) X(average_attn_weights) X(batch_first) X(bias) X(bidirectional) X(ceil_mode)          \
      X(count_include_pad) X(elementwise_affine) X(freeze) X(full) X(hard) X(head_bias) X(include_last_offset)     \
          X(inplace) X(keepdim) X(log_input) X(log_target) X(need_weights) X(scale_grad_by_freq) X(sparse) X(swap) \
              X(track_running_stats) X(training) X(transposed) X(use_input_stats) X(zero_infinity)

#define DEADGRAD_STUB_OTHER_OPTIONS(X)                                                                                \
  X(_random_samples)                                                                                                  \
  X(_weight) X(activation) X(align_corners) X(antialias) X(approximate) X(attn_mask) X(bias_k) X(bias_v)              \
      X(custom_decoder) X(custom_encoder) X(cutoffs) X(decoder_layer) X(dilation) X(dimname) X(distance_function)     \
          X(divisor_override) X(dropout_p) X(dtype) X(embed_dim_to_check) X(enable_nested_tensor) X(encoder_layer)    \
              X(in_proj_bias) X(in_proj_weight) X(k) X(k_proj_weight) X(kernel_size) X(key_padding_mask) X(max_norm)  \
                  X(mode) X(momentum) X(namedshape) X(nonlinearity) X(norm) X(norm_first) X(normalized_shape)         \
                      X(num_classes) X(offsets) X(out_proj_bias) X(out_proj_weight) X(output_padding) X(output_ratio) \
                          X(output_size) X(pad) X(padding) X(padding_idx) X(padding_mode) X(per_sample_weights)       \
                              X(pos_weight) X(q_proj_weight) X(recompute_scale_factor) X(reduction) X(return_indices) \
                                  X(running_mean) X(running_var) X(scale_factor) X(size) X(sizes) X(static_k)         \
                                      X(static_v) X(stride) X(unflattened_size) X(use_separate_proj_weight)           \
                                          X(v_proj_weight) X(weight)
