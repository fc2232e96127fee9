// The permissive functions of at: names, grouped by what they return. UNARY take one tensor and nothing else, so that
// their address is a plain function of a tensor; FEW and MANY take a tensor first; FREE take anything.
#pragma once
#pragma GCC system_header

#define DEADGRAD_STUB_FUNCTIONS_UNARY(X)                                                                               \
  X(abs)                                                                                                               \
  X(absolute) X(acos) X(acosh) X(adjoint) X(alias) X(angle) X(arccos) X(arccosh) X(arcsin) X(arcsinh) X(arctan)        \
      X(arctanh) X(argwhere) X(asin) X(asinh) X(atan) X(atanh) X(bitwise_not) X(ceil) X(conj_physical) X(corrcoef) X(  \
          cos) X(cosh) X(deg2rad) X(det) X(detach) X(digamma) X(erf) X(erfc) X(erfinv) X(exp) X(exp2) X(expm1) X(fix)  \
          X(fliplr) X(flipud) X(floor) X(frac) X(hardsigmoid) X(hardswish) X(i0) X(imag) X(int_repr) X(inverse)        \
              X(isfinite) X(isinf) X(isnan) X(isneginf) X(isposinf) X(isreal) X(lgamma) X(lift) X(lift_fresh) X(       \
                  linalg_det) X(linalg_eigvals) X(linalg_inv) X(linalg_matrix_exp) X(log) X(log10) X(log1p) X(log2)    \
                  X(log_sigmoid) X(logdet) X(logical_not) X(matrix_exp) X(mish) X(msort) X(neg) X(negative) X(         \
                      nonzero) X(positive) X(q_per_channel_scales) X(q_per_channel_zero_points) X(rad2deg)             \
                      X(ravel) X(real) X(reciprocal) X(relu) X(relu6) X(resolve_conj) X(resolve_neg) X(rsqrt) X(selu)  \
                          X(sgn) X(sigmoid) X(sign) X(signbit) X(silu) X(sin) X(sinc) X(sinh) X(special_airy_ai)       \
                              X(special_bessel_j0) X(special_bessel_j1) X(special_bessel_y0) X(special_bessel_y1)      \
                                  X(special_digamma) X(special_entr) X(special_erf) X(special_erfc) X(special_erfcx)   \
                                      X(special_erfinv) X(special_exp2) X(special_expit) X(special_expm1)              \
                                          X(special_gammaln) X(special_i0) X(special_i0e) X(special_i1) X(special_i1e) \
                                              X(special_log1p) X(special_log_ndtr) X(special_modified_bessel_i0)       \
                                                  X(special_modified_bessel_i1) X(special_modified_bessel_k0)          \
                                                      X(special_modified_bessel_k1) X(special_ndtr) X(special_ndtri)   \
                                                          X(special_psi) X(special_scaled_modified_bessel_k0)          \
                                                              X(special_scaled_modified_bessel_k1) X(special_sinc)     \
                                                                  X(special_spherical_bessel_j0) X(sqrt) X(square)     \
                                                                      X(t) X(tan) X(tanh) X(trace) X(trunc)            \
                                                                          X(view_as_complex) X(view_as_real) X(zero)

#define DEADGRAD_STUB_FUNCTIONS_FEW(X)                                                                                 \
  X(adaptive_avg_pool1d)                                                                                               \
  X(adaptive_avg_pool2d) X(adaptive_avg_pool3d) X(add) X(affine_grid_generator) X(all) X(alpha_dropout) X(amax) X(     \
      amin) X(any) X(arctan2) X(argmax) X(argmin) X(atan2) X(bernoulli) X(bincount) X(binomial) X(bmm) X(broadcast_to) \
      X(celu) X(channel_shuffle) X(cholesky) X(cholesky_inverse) X(cholesky_solve) X(clamp) X(clamp_max) X(            \
          clamp_min) X(clip) X(clone) X(combinations) X(constant_pad_nd) X(copy) X(copy_sparse_to_sparse) X(copysign)  \
          X(count_nonzero) X(cross) X(cumprod) X(cumsum) X(cumulative_trapezoid) X(diag) X(diagflat) X(dist) X(div) X( \
              divide) X(dot) X(dropout) X(eq) X(exponential) X(feature_alpha_dropout) X(feature_dropout)               \
              X(fft_fftshift) X(fft_ifftshift) X(fill) X(flip) X(floor_divide) X(fmax) X(fmin) X(fmod) X(              \
                  frobenius_norm) X(gcd) X(ge) X(gelu) X(geometric) X(ger) X(glu) X(greater)                           \
                  X(greater_equal) X(gt) X(hardshrink) X(hardtanh) X(heaviside) X(hypot) X(igamma) X(igammac) X(       \
                      index) X(index_select) X(inner) X(kron) X(l1_loss) X(lcm)                                        \
                      X(ldexp) X(le) X(leaky_relu) X(lerp) X(less) X(less_equal) X(linalg_cholesky) X(linalg_cond) X(  \
                          linalg_cross) X(linalg_eigvalsh)                                                             \
                          X(linalg_householder_product) X(linalg_matmul) X(linalg_matrix_power) X(linalg_solve) X(     \
                              linalg_svdvals) X(linalg_tensorinv) X(linalg_tensorsolve) X(linalg_vander)               \
                              X(linalg_vecdot) X(linear) X(log_softmax) X(logaddexp) X(logaddexp2) X(logcumsumexp) X(  \
                                  logical_and) X(logical_or) X(logical_xor) X(logit)                                   \
                                  X(logsumexp) X(lt) X(lu_solve) X(masked_fill) X(masked_scatter)                      \
                                      X(masked_select) X(matmul) X(matrix_power) X(max_unpool2d) X(maximum) X(         \
                                          minimum) X(mm) X(moveaxis) X(movedim) X(mse_loss)                            \
                                          X(mul) X(multilabel_margin_loss) X(multiply) X(mv) X(mvlgamma) X(            \
                                              native_channel_shuffle)                                                  \
                                              X(ne) X(nested_to_padded_tensor) X(nextafter) X(norm_except_dim) X(      \
                                                  not_equal) X(nuclear_norm) X(one_hot) X(orgqr)                       \
                                                  X(outer) X(pdist) X(permute) X(pinverse) X(pixel_shuffle) X(         \
                                                      pixel_unshuffle) X(poisson) X(prelu)                             \
                                                      X(quantize_per_tensor_dynamic) X(reflection_pad1d) X(            \
                                                          reflection_pad2d) X(reflection_pad3d)                        \
                                                          X(replication_pad1d) X(replication_pad2d) X(                 \
                                                              replication_pad3d) X(reshape) X(resize)                  \
                                                              X(resize_as) X(resize_as_sparse) X(roll) X(rot90) X(     \
                                                                  round) X(rsub) X(select) X(smm) X(soft_margin_loss)  \
                                                                  X(softmax) X(softplus) X(softshrink) X(              \
                                                                      special_gammainc) X(special_gammaincc)           \
                                                                      X(special_log_softmax) X(special_logit) X(       \
                                                                          special_logsumexp) X(special_multigammaln)   \
                                                                          X(special_round) X(special_softmax) X(       \
                                                                              squeeze) X(sub) X(subtract) X(swapaxes)  \
                                                                              X(                                       \
                                                                                  swapdims) X(take)                    \
                                                                                  X(take_along_dim) X(threshold) X(    \
                                                                                      tile) X(transpose)               \
                                                                                      X(trapezoid) X(trapz) X(tril) X( \
                                                                                          triu) X(true_divide)         \
                                                                                          X(unsqueeze)                 \
                                                                                              X(upsample_nearest1d)    \
                                                                                                  X(vander) X(vdot)

#define DEADGRAD_STUB_FUNCTIONS_MANY(X)                                                                                              \
  X(addbmm)                                                                                                                          \
  X(addcdiv) X(addcmul) X(addmm) X(addmv) X(addr) X(argsort) X(as_strided) X(as_strided_scatter) X(avg_pool1d) X(                    \
      avg_pool2d) X(avg_pool3d) X(baddbmm) X(batch_norm) X(bilinear) X(binary_cross_entropy)                                         \
      X(binary_cross_entropy_with_logits) X(cauchy) X(cdist) X(chunk_cat) X(col2im) X(combinations) X(conv1d) X(                     \
          conv2d) X(conv3d) X(conv_depthwise3d) X(conv_tbc) X(conv_transpose1d) X(conv_transpose2d)                                  \
          X(conv_transpose3d) X(convolution) X(convolution_overrideable) X(cosine_embedding_loss) X(                                 \
              cosine_similarity) X(cov) X(cross_entropy_loss) X(ctc_loss) X(diag_embed) X(diagonal)                                  \
              X(diagonal_scatter) X(diff) X(elu) X(embedding) X(embedding_renorm) X(empty_like) X(                                   \
                  fake_quantize_per_channel_affine) X(fake_quantize_per_tensor_affine) X(fft_fft) X(fft_fft2)                        \
                  X(fft_fftn) X(fft_hfft) X(fft_hfft2) X(fft_hfftn) X(fft_ifft) X(fft_ifft2) X(fft_ifftn) X(                         \
                      fft_ihfft) X(fft_ihfft2) X(fft_ihfftn) X(fft_irfft) X(fft_irfft2) X(fft_irfftn) X(fft_rfft)                    \
                      X(fft_rfft2) X(fft_rfftn) X(flatten) X(full_like) X(fused_moving_avg_obs_fake_quant) X(                        \
                          gather) X(glu_jvp) X(grid_sampler) X(grid_sampler_2d) X(grid_sampler_3d)                                   \
                          X(group_norm) X(gru_cell) X(hardtanh) X(hinge_embedding_loss) X(histc) X(huber_loss) X(                    \
                              im2col) X(index_add) X(index_fill)                                                                     \
                              X(index_put) X(index_reduce) X(instance_norm) X(isclose) X(istft) X(kl_div) X(                         \
                                  layer_norm) X(linalg_diagonal) X(linalg_ldl_solve)                                                 \
                                  X(linalg_lu_solve) X(linalg_matrix_norm) X(linalg_matrix_rank) X(linalg_norm) X(                   \
                                      linalg_pinv) X(linalg_solve_triangular) X(linalg_vecdot) X(linalg_vector_norm)                 \
                                      X(log_normal) X(margin_ranking_loss) X(max_pool1d) X(max_pool2d) X(                            \
                                          max_pool3d) X(max_unpool3d) X(mean) X(multi_margin_loss) X(multinomial)                    \
                                          X(nan_to_num) X(nanmean) X(                                                                \
                                              nanquantile) X(nansum) X(narrow) X(native_norm) X(nested_to_padded_tensor) X(nll_loss) \
                                              X(nll_loss2d) X(nll_loss_nd) X(norm) X(normal_functional) X(                           \
                                                  ones_like) X(ormqr) X(pad) X(pairwise_distance) X(poisson_nll_loss) X(prod)        \
                                                  X(put) X(quantile) X(quantize_per_channel) X(quantized_batch_norm) X(              \
                                                      quantized_max_pool1d) X(quantized_max_pool2d)                                  \
                                                      X(rand_like) X(randint_like) X(randn_like) X(random) X(renorm) X(              \
                                                          repeat_interleave) X(rms_norm) X(rnn_relu_cell) X(rnn_tanh_cell)           \
                                                          X(rrelu) X(rrelu_with_noise) X(scaled_dot_product_attention) X(            \
                                                              scatter) X(scatter_add)                                                \
                                                              X(scatter_reduce) X(searchsorted) X(segment_reduce) X(                 \
                                                                  select_scatter) X(set) X(slice) X(slice_scatter)                   \
                                                                  X(smooth_l1_loss) X(sparse_bsc_tensor) X(                          \
                                                                      sparse_bsr_tensor) X(sparse_compressed_tensor)                 \
                                                                      X(sparse_coo_tensor_like) X(sparse_csc_tensor) X(              \
                                                                          sparse_csr_tensor) X(sparse_resize)                        \
                                                                          X(sparse_resize_and_clear) X(                              \
                                                                              sparse_sampled_addmm) X(sspaddmm)                      \
                                                                              X(std) X(stft) X(sum) X(tensordot) X(                  \
                                                                                  triplet_margin_loss) X(unflatten)                  \
                                                                                  X(uniform) X(                                      \
                                                                                      unique_values) X(unravel_index)                \
                                                                                      X(upsample_bicubic2d) X(                       \
                                                                                          upsample_bilinear2d)                       \
                                                                                          X(upsample_linear1d) X(                    \
                                                                                              upsample_nearest2d)                    \
                                                                                              X(upsample_nearest3d) X(               \
                                                                                                  upsample_trilinear3d)              \
                                                                                                  X(var) X(zeros_like)

#define DEADGRAD_STUB_FUNCTIONS_FREE(X)                                                                                \
  X(arange)                                                                                                            \
  X(bartlett_window) X(bitwise_and) X(bitwise_left_shift) X(bitwise_or) X(bitwise_right_shift) X(bitwise_xor)          \
      X(blackman_window) X(block_diag) X(bucketize) X(cartesian_prod) X(cat) X(chain_matmul) X(column_stack)           \
          X(complex) X(concat) X(concatenate) X(dstack) X(empty) X(empty_quantized) X(empty_strided) X(eye)            \
              X(fft_fftfreq) X(fft_rfftfreq) X(flatten_dense_tensors) X(float_power) X(full) X(hamming_window)         \
                  X(hann_window) X(hspmm) X(hstack) X(isin) X(kaiser_window) X(linalg_multi_dot) X(linspace)           \
                      X(logspace) X(nested_tensor) X(ones) X(pad_sequence) X(polar) X(polygamma) X(pow) X(rand)        \
                          X(randint) X(randn) X(randperm) X(range) X(remainder) X(row_stack) X(scalar_tensor)          \
                              X(sparse_coo_tensor) X(special_chebyshev_polynomial_t) X(special_chebyshev_polynomial_u) \
                                  X(special_chebyshev_polynomial_v) X(special_chebyshev_polynomial_w)                  \
                                      X(special_hermite_polynomial_h) X(special_hermite_polynomial_he)                 \
                                          X(special_laguerre_polynomial_l) X(special_legendre_polynomial_p)            \
                                              X(special_polygamma) X(special_shifted_chebyshev_polynomial_t)           \
                                                  X(special_shifted_chebyshev_polynomial_u)                            \
                                                      X(special_shifted_chebyshev_polynomial_v)                        \
                                                          X(special_shifted_chebyshev_polynomial_w) X(special_xlog1py) \
                                                              X(special_xlogy) X(special_zeta) X(stack)                \
                                                                  X(tril_indices) X(triu_indices) X(vitals_enabled)    \
                                                                      X(vstack) X(xlogy) X(zeros)

#define DEADGRAD_STUB_FUNCTIONS_INPLACE(X)                                                                            \
  X(abs_)                                                                                                             \
  X(acos_) X(acosh_) X(addmv_) X(alpha_dropout_) X(arccos_) X(arccosh_) X(arcsin_) X(arcsinh_) X(arctan_) X(arctanh_) \
      X(as_strided_) X(asin_) X(asinh_) X(atan_) X(atanh_) X(ceil_) X(celu_) X(clamp_) X(clamp_max_) X(clamp_min_)    \
          X(clip_) X(conj_physical_) X(copy_sparse_to_sparse_) X(cos_) X(cosh_) X(deg2rad_) X(detach_) X(dropout_)    \
              X(elu_) X(embedding_renorm_) X(erf_) X(erfc_) X(exp2_) X(exp_) X(expm1_) X(feature_alpha_dropout_)      \
                  X(feature_dropout_) X(fill_) X(fix_) X(floor_) X(frac_) X(gcd_) X(gelu_) X(hardsigmoid_)            \
                      X(hardswish_) X(hardtanh_) X(i0_) X(index_put_) X(lcm_) X(ldexp_) X(leaky_relu_) X(log10_)      \
                          X(log1p_) X(log2_) X(log_) X(logit_) X(mish_) X(nan_to_num_) X(neg_) X(negative_)           \
                              X(rad2deg_) X(reciprocal_) X(relu6_) X(relu_) X(resize_as_) X(resize_as_sparse_)        \
                                  X(round_) X(rrelu_) X(rrelu_with_noise_) X(rsqrt_) X(selu_) X(sigmoid_) X(silu_)    \
                                      X(sin_) X(sinc_) X(sinh_) X(sqrt_) X(square_) X(tan_) X(tanh_) X(threshold_)    \
                                          X(trunc_) X(xlogy_) X(zero_)

#define DEADGRAD_STUB_FUNCTIONS_VECTOR(X)                                                                             \
  X(align_tensors)                                                                                                    \
  X(broadcast_tensors) X(chunk) X(dsplit) X(hsplit) X(meshgrid) X(nonzero_numpy) X(split) X(split_with_sizes)         \
      X(tensor_split) X(unbind) X(unflatten_dense_tensors) X(unsafe_chunk) X(unsafe_split) X(unsafe_split_with_sizes) \
          X(vsplit)

#define DEADGRAD_STUB_FUNCTIONS_TUPLE2(X)                                                                           \
  X(adaptive_max_pool1d)                                                                                            \
  X(adaptive_max_pool2d) X(adaptive_max_pool3d) X(aminmax) X(choose_qparams_optimized) X(cummax) X(cummin)          \
      X(fake_quantize_per_channel_affine_cachemask) X(fake_quantize_per_tensor_affine_cachemask)                    \
          X(fractional_max_pool2d) X(fractional_max_pool3d) X(frexp) X(geqrf) X(histogram) X(kthvalue)              \
              X(linalg_cholesky_ex) X(linalg_eig) X(linalg_eigh) X(linalg_inv_ex) X(linalg_ldl_factor)              \
                  X(linalg_lu_factor) X(linalg_qr) X(linalg_slogdet) X(linalg_solve_ex) X(log_sigmoid_forward)      \
                      X(lstm_cell) X(max_pool1d_with_indices) X(max_pool2d_with_indices) X(max_pool3d_with_indices) \
                          X(mode) X(multilabel_margin_loss_forward) X(native_dropout) X(nll_loss2d_forward)         \
                              X(nll_loss_forward) X(qr) X(slogdet) X(sort) X(std_mean) X(symeig) X(topk)            \
                                  X(triangular_solve) X(var_mean)

#define DEADGRAD_STUB_FUNCTIONS_TUPLE3(X)                                                                  \
  X(linalg_ldl_factor_ex)                                                                                  \
  X(linalg_lu) X(linalg_lu_factor_ex) X(linalg_svd) X(lu_unpack) X(native_batch_norm) X(native_group_norm) \
      X(native_layer_norm) X(svd) X(unique_consecutive) X(unique_dim) X(unique_dim_consecutive)

#define DEADGRAD_STUB_FUNCTIONS_TUPLE4(X) X(linalg_lstsq)

#define DEADGRAD_STUB_FUNCTIONS_OUT(X)                                                                                \
  X(abs_out)                                                                                                          \
  X(add_out) X(addmm_out) X(arange_out) X(bmm_out) X(cat_out) X(clamp_out) X(conv2d_out) X(copy_out) X(div_out)       \
      X(embedding_out) X(empty_out) X(exp_out) X(eye_out) X(fill_out) X(full_out) X(gather_out) X(index_select_out)   \
          X(linear_out) X(linspace_out) X(log_out) X(log_softmax_out) X(masked_select_out) X(matmul_out) X(max_out)   \
              X(mean_out) X(min_out) X(mm_out) X(mul_out) X(norm_out) X(ones_out) X(pow_out) X(rand_out) X(randn_out) \
                  X(randperm_out) X(relu_out) X(resize_out) X(sigmoid_out) X(softmax_out) X(sort_out) X(sqrt_out)     \
                      X(stack_out) X(sub_out) X(sum_out) X(tanh_out) X(topk_out) X(where_out) X(zeros_out)

#define DEADGRAD_STUB_FFT_FUNCTIONS(X)                                                                            \
  X(fft)                                                                                                          \
  X(fft2) X(fftn) X(fftshift) X(hfft) X(hfft2) X(hfftn) X(ifft) X(ifft2) X(ifftn) X(ifftshift) X(ihfft) X(ihfft2) \
      X(ihfftn) X(irfft) X(irfft2) X(irfftn) X(rfft) X(rfft2) X(rfftn)

#define DEADGRAD_STUB_LINALG_FUNCTIONS(X)                                                                           \
  X(cholesky)                                                                                                       \
  X(cholesky_ex) X(cond) X(cross) X(det) X(diagonal) X(eigvals) X(eigvalsh) X(householder_product) X(inv) X(inv_ex) \
      X(ldl_factor) X(ldl_factor_ex) X(ldl_solve) X(lstsq) X(lu_factor_ex) X(lu_solve) X(matmul) X(matrix_exp)      \
          X(matrix_norm) X(matrix_power) X(matrix_rank) X(multi_dot) X(norm) X(pinv) X(solve) X(solve_ex)           \
              X(solve_triangular) X(svdvals) X(tensorinv) X(tensorsolve) X(vander) X(vecdot) X(vector_norm)

#define DEADGRAD_STUB_SPECIAL_FUNCTIONS(X)                                                                             \
  X(airy_ai)                                                                                                           \
  X(bessel_j0) X(bessel_j1) X(bessel_y0) X(bessel_y1) X(chebyshev_polynomial_t) X(chebyshev_polynomial_u)              \
      X(chebyshev_polynomial_v) X(chebyshev_polynomial_w) X(digamma) X(entr) X(erf) X(erfc) X(erfcx) X(erfinv) X(exp2) \
          X(expit) X(expm1) X(gammainc) X(gammaincc) X(gammaln) X(hermite_polynomial_h) X(hermite_polynomial_he) X(i0) \
              X(i0e) X(i1) X(i1e) X(laguerre_polynomial_l) X(legendre_polynomial_p) X(log1p) X(log_ndtr)               \
                  X(log_softmax) X(logit) X(logsumexp) X(modified_bessel_i0) X(modified_bessel_i1)                     \
                      X(modified_bessel_k0) X(modified_bessel_k1) X(multigammaln) X(ndtr) X(ndtri) X(polygamma) X(psi) \
                          X(round) X(scaled_modified_bessel_k0) X(scaled_modified_bessel_k1)                           \
                              X(shifted_chebyshev_polynomial_t) X(shifted_chebyshev_polynomial_u)                      \
                                  X(shifted_chebyshev_polynomial_v) X(shifted_chebyshev_polynomial_w) X(sinc)          \
                                      X(softmax) X(spherical_bessel_j0) X(xlog1py) X(xlogy) X(zeta)
